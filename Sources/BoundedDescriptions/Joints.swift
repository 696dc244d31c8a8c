/// Decides, scalar by scalar, which scalars of a string are visible or join visible ones.
///
/// Family emoji and words in Persian and Indic scripts need joiners and variation selectors, so these stay within a
/// grapheme of letters or emoji. They could also hide data, so two joiners or selectors never stay in a row, and no
/// selector stays after an ASCII letter.
struct Joints {
    private static let emojiStyle: Range<UInt32> = 0xFE0F..<0xFE10
    private static let selectors: Range<UInt32> = 0x80..<0xFE10
    /// Includes the supplementary selectors, which could each hide a byte, so they are allowed only after ideographs.
    private static let allSelectors: Range<UInt32> = 0x80..<0x11_0000

    /// Whether a zero-width joiner or non-joiner may come next.
    private var takesJoiner = false
    /// The variation selectors that may come next.
    private var takesSelector: Range<UInt32> = 0..<0

    /// Returns whether the next scalar is kept unchanged.
    ///
    /// Otherwise it is escaped.
    mutating func keeps(_ scalar: Unicode.Scalar) -> Bool {
        let before = self
        self = Joints()
        if scalar.isASCII {
            takesJoiner = "a"..."z" ~= scalar || "A"..."Z" ~= scalar
            // Allow the emoji selector: these characters form keycaps.
            if "0"..."9" ~= scalar || scalar == "#" || scalar == "*" { takesSelector = Self.emojiStyle }
            return scalar.value >= 0x20 && scalar.value < 0x7F
        }
        let properties = scalar.properties
        if scalar == "\u{200C}" || scalar == "\u{200D}" { return before.takesJoiner }
        if properties.isVariationSelector {
            guard before.takesSelector.contains(scalar.value) else { return false }
            takesJoiner = before.takesJoiner
            return true
        }
        if properties.isDefaultIgnorableCodePoint || properties.isBidiControl { return false }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator:
            return false
        case .nonspacingMark, .spacingMark, .enclosingMark:
            takesJoiner = before.takesJoiner
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            (takesJoiner, takesSelector) = (true, properties.isIdeographic ? Self.allSelectors : Self.selectors)
        default:
            if properties.isEmoji { (takesJoiner, takesSelector) = (true, Self.selectors) }
        }
        return true
    }
}
