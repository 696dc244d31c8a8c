/// Escapes text of any origin so that it fits on one line, and bounds its length.
///
/// Everything that could break a line, reorder it, or hide in it is escaped: control characters, line and paragraph
/// separators, bidirectional controls, and invisible scalars. Joiners and variation selectors stay where they have a
/// visible effect: see ``Joiners``.
package enum OneLine {
    /// The maximum length of an escaped text in bytes of UTF-8; a longer one is cut, and ends in `…`.
    package static let limit = 16 * 1024

    /// Returns the text on one line, escaped and cut.
    package static func escaped(_ text: String) -> String {
        if isPlain(text, within: isPrintable) { return text }
        return escaped(text) { _ in false }
    }

    /// Returns the text on one line between quotation marks, with quotes and backslashes in it escaped.
    package static func quoted(_ text: String) -> String { "\"\(inQuotes(text))\"" }

    /// Returns what ``quoted(_:)`` does, without the quotation marks around it.
    package static func inQuotes(_ text: String) -> String {
        if isPlain(text, within: { isPrintable($0) && !isQuoteOrBackslash($0) }) { return text }
        return escaped(text) { $0 == "\"" || $0 == "\\" }
    }

    /// Returns the text unchanged if it reads as one word, else quoted.
    package static func bare(_ text: String) -> String {
        let isASCIIWord = isPlain(text) { isPrintable($0) && !isQuoteOrBackslash($0) && !isBlankOrEquals($0) }
        if isASCIIWord, !text.isEmpty { return text }
        let line = inQuotes(text)
        let isWord =
            !text.isEmpty && line.utf8.elementsEqual(text.utf8)
            && !line.unicodeScalars.contains { $0 == "=" || $0.properties.isWhitespace }
        return isWord ? text : "\"\(line)\""
    }

    // MARK: Plain texts

    /// Whether a text, as most do, fits the limit and has only bytes that need no escape.
    private static func isPlain(_ text: String, within isPlain: (UInt8) -> Bool) -> Bool {
        var count = 0
        for byte in text.utf8 {
            count += 1
            guard count <= limit, isPlain(byte) else { return false }
        }
        return true
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

    private static func isQuoteOrBackslash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func isBlankOrEquals(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "=")
    }

    // MARK: Texts to escape

    /// Escapes a text scalar by scalar.
    ///
    /// Not by characters: a quotation mark that forms one character with the next scalar still ends the quotes, and a
    /// character may have ten million scalars.
    private static func escaped(_ text: String, alsoWhere needsEscape: (Unicode.Scalar) -> Bool) -> String {
        var line = BoundedText(limit: limit)
        // The last place for a cut: before a character rather than within it, and never within an escape.
        var place = 0
        var joiners = Joiners()
        var scalars = text.unicodeScalars.makeIterator()
        var following = scalars.next()
        while let scalar = following, !line.isCut {
            following = scalars.next()
            let isKept =
                scalar.isASCII
                ? isPrintable(UInt8(scalar.value)) && !needsEscape(scalar)
                : isVisible(scalar) || joiners.keeps(scalar, before: following)
            if scalar.isASCII || !isKept || !joiners.continues(scalar) { place = line.place(orBefore: place) }
            if isKept {
                line.append(scalar.utf8, cuttingAt: place)
                joiners.passed(scalar)
            } else {
                line.append(escape(for: scalar).utf8, cuttingAt: place)
                joiners.passedEscape()
            }
        }
        return line.text
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isBidiControl
        }
    }

    private static func escape(for scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\"", "\\": "\\\(scalar)"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}
