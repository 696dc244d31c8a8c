/// Text from anywhere, on one line, and of a bounded length.
///
/// Escaped is all that could break a line, reorder it, or hide in it: control characters, line and paragraph
/// separators, bidirectional controls, and scalars that are not shown. Joiners and variation selectors stay where they
/// do something: see ``Joiners``.
package enum OneLine {
    /// How many bytes of UTF-8 a text may have once it is escaped; a longer one is cut, and ends in `…`.
    package static let limit = 16 * 1024

    /// The text with all that could break, reorder or disguise a line escaped.
    package static func escaped(_ text: String) -> String {
        if isPlain(text, within: isPrintable) { return text }
        return escaped(text) { _ in false }
    }

    /// The text on one line between quotation marks, with the marks in it escaped.
    package static func quoted(_ text: String) -> String { "\"\(inQuotes(text))\"" }

    /// The text on one line as it stands between quotation marks, without them.
    package static func inQuotes(_ text: String) -> String {
        if isPlain(text, within: { isPrintable($0) && !isQuoteOrBackslash($0) }) { return text }
        return escaped(text) { $0 == "\"" || $0 == "\\" }
    }

    /// The text as it is where it reads as one word, else quoted.
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

    /// Whether the text is short enough, and has only bytes that stay as they are; most texts are like that.
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

    // MARK: All the others

    /// By scalars and not by characters: a mark that makes one character with the next scalar is still a mark, and a
    /// character may have ten million scalars.
    private static func escaped(_ text: String, alsoWhere needsEscape: (Unicode.Scalar) -> Bool) -> String {
        var line = BoundedText(limit: limit)
        // The text is cut before a character rather than within it, and never within an escape.
        var place = 0
        var joiners = Joiners()
        var scalars = text.unicodeScalars.makeIterator()
        var following = scalars.next()
        while let scalar = following, !line.isCut {
            following = scalars.next()
            if scalar.isASCII {
                place = line.place(orBefore: place)
                if isPrintable(UInt8(scalar.value)), !needsEscape(scalar) {
                    line.append(CollectionOfOne(UInt8(scalar.value)), cuttingAt: place)
                    joiners.passed(scalar)
                } else {
                    line.append(escape(for: scalar).utf8, cuttingAt: place)
                    joiners.passedEscape()
                }
            } else if isKept(scalar) || joiners.keeps(scalar, before: following) {
                if !joiners.continues(scalar) { place = line.place(orBefore: place) }
                line.append(scalar, cuttingAt: place)
                joiners.passed(scalar)
            } else {
                place = line.place(orBefore: place)
                line.append(escape(for: scalar).utf8, cuttingAt: place)
                joiners.passedEscape()
            }
        }
        return line.text
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
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
