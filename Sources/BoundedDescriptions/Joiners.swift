/// Decides where zero-width joiners, zero-width non-joiners and variation selectors have a visible effect.
///
/// Family emoji, Persian and Indic words need them. Where they have no visible effect they can hide data: each
/// variation selector of a row can encode a byte. So they are kept only in these places:
/// - after a letter and its marks: a joiner or a non-joiner;
/// - after an emoji: a joiner before another emoji;
/// - directly after an emoji: U+FE0E (text style) or U+FE0F (emoji style), the latter in a keycap too;
/// - directly after a letter outside ASCII: another variation selector, of the supplement only after an ideograph;
/// - never two in a row, except for a selector followed by a joiner.
struct Joiners {
    private static let nonJoiner: Unicode.Scalar = "\u{200C}"
    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"

    /// The last kept scalar that is no mark and no joiner; nil at the beginning and after an escape.
    private var base: Unicode.Scalar?
    /// The scalar right before the current one; nil at the beginning and after an escape.
    private var previous: Unicode.Scalar?

    /// Advances past a scalar that is kept as it is.
    mutating func passed(_ scalar: Unicode.Scalar) {
        if !Self.isJoiner(scalar), !Self.isMark(scalar) { base = scalar }
        previous = scalar
    }

    /// Advances past a scalar that is escaped.
    mutating func passedEscape() {
        base = nil
        previous = nil
    }

    /// Whether a scalar belongs to the character before it.
    func continues(_ scalar: Unicode.Scalar) -> Bool {
        previous == Self.joiner || Self.isJoiner(scalar) || Self.isMark(scalar)
    }

    /// Whether a scalar is a joiner or a variation selector that has a visible effect here.
    ///
    /// - Parameters:
    ///   - scalar: The scalar, of any kind.
    ///   - following: The scalar after it.
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

    /// Whether a scalar is an emoji outside ASCII; Unicode counts digits too, because of the keycaps.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { !scalar.isASCII && scalar.properties.isEmoji }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        // The most frequent case comes first: no mark is in ASCII.
        if scalar.isASCII { return false }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: !isJoiner(scalar)
        default: false
        }
    }
}
