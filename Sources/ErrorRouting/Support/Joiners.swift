/// Where zero-width joiners, zero-width non-joiners and variation selectors do something to what is seen.
///
/// They are in the family emoji, in Persian and in Indic words; where they do nothing, they can hide anything: a row of
/// variation selectors carries a byte each. So they are kept only
/// - after a letter, marks in between: a joiner or a non-joiner; after a letter outside ASCII a variation selector,
///   those of the supplement after an ideograph only;
/// - after an emoji: a joiner before another emoji, or a selector for text or emoji; that one also in a keycap;
/// - never two in a row, but for an emoji's selector and a joiner.
struct Joiners {
    private static let nonJoiner: Unicode.Scalar = "\u{200C}"
    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"

    /// What the marks and joiners before the place belong to; nil where nothing has been, or an escape.
    private var base: Unicode.Scalar?
    /// What stands right before the place, if it was kept as it is.
    private var previous: Unicode.Scalar?

    /// Moves on past a scalar that is kept as it is.
    mutating func passed(_ scalar: Unicode.Scalar) {
        if !Self.isJoiner(scalar), !Self.isMark(scalar) { base = scalar }
        previous = scalar
    }

    /// Moves on past one that is not.
    mutating func passedEscape() {
        base = nil
        previous = nil
    }

    /// Whether a scalar belongs to the character before it.
    func continues(_ scalar: Unicode.Scalar) -> Bool {
        previous == Self.joiner || Self.isJoiner(scalar) || Self.isMark(scalar)
    }

    /// Whether a scalar is a joiner or a variation selector which does something here.
    ///
    /// - Parameters:
    ///   - scalar: The scalar, of any kind.
    ///   - following: The one after it.
    func keeps(_ scalar: Unicode.Scalar, before following: Unicode.Scalar?) -> Bool {
        guard Self.isJoiner(scalar), let base, let previous else { return false }
        let isSelector = Self.isSelector(scalar)
        if Self.isJoiner(previous), isSelector || !(Self.isSelector(previous) && scalar == Self.joiner) { return false }
        if let following, Self.isJoiner(following), !(isSelector && following == Self.joiner) { return false }
        if isSelector { return previous == base && Self.selects(scalar, after: base, before: following) }
        if Self.isEmoji(base), !Self.isMark(previous) {
            return scalar == Self.joiner && following.map(Self.isEmoji) == true
        }
        return Self.isLetter(base)
    }

    private static func selects(
        _ selector: Unicode.Scalar, after base: Unicode.Scalar, before following: Unicode.Scalar?
    ) -> Bool {
        switch selector.value {
        case 0xFE0F where following == keycap && "0123456789#*".unicodeScalars.contains(base): true
        case 0xFE0E, 0xFE0F: isEmoji(base)
        case 0xE0100...: base.properties.isIdeographic
        default: !base.isASCII && isLetter(base)
        }
    }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        scalar == nonJoiner || scalar == joiner || isSelector(scalar)
    }

    private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && scalar.properties.isVariationSelector
    }

    /// Digits count as emoji in Unicode, since keycaps are made of them.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { !scalar.isASCII && scalar.properties.isEmoji }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        // Asked first, and often: no mark is in ASCII.
        if scalar.isASCII { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: !isJoiner(scalar)
        default: false
        }
    }
}
