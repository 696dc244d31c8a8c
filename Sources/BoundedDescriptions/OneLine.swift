/// Escapes strings of any origin so that they fit on one line, and bounds their length.
///
/// Every character that could break a line, reorder it, or hide in it is escaped: control characters, line and
/// paragraph separators, bidirectional controls, and invisible scalars. Joiners and variation selectors stay, because
/// emoji and the words of many scripts need them.
package enum OneLine {
    /// The maximum length of an escaped string in bytes of UTF-8; a longer string is truncated and ends in `…`.
    package static let limit = 16 * 1024

    /// Returns the string on one line, escaped and truncated.
    package static func escaped(_ text: String) -> String { escaped(text) { _ in false } }

    /// Returns the string on one line between quotation marks, with its quotes and backslashes escaped.
    package static func quoted(_ text: String) -> String { "\"\(inQuotes(text))\"" }

    /// Returns the result of ``quoted(_:)`` without the surrounding quotation marks.
    package static func inQuotes(_ text: String) -> String { escaped(text, also: isQuoteOrBackslash) }

    /// Returns the string unchanged if it is one ASCII word, and quoted if it isn't.
    package static func bare(_ text: String) -> String {
        let isWord = isPlain(text) { isQuoteOrBackslash($0) || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "=") }
        return isWord && !text.isEmpty ? text : quoted(text)
    }

    private static func isQuoteOrBackslash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Returns whether a string fits the limit and needs no escapes, which is the usual case.
    private static func isPlain(_ text: String, except isSpecial: (UInt8) -> Bool) -> Bool {
        text.hasOnly(atMost: limit) { byte in byte >= 0x20 && byte < 0x7F && !isSpecial(byte) }
    }

    /// Escapes a string scalar by scalar.
    ///
    /// Characters aren't safe units: a quotation mark that forms one character with the next scalar still ends the
    /// quotes, and a character can have ten million scalars.
    private static func escaped(_ text: String, also isSpecial: (UInt8) -> Bool) -> String {
        if isPlain(text, except: isSpecial) { return text }
        var line = BoundedText(limit: limit)
        for scalar in text.unicodeScalars {
            if line.isTruncated { break }
            if isKept(scalar), !(scalar.isASCII && isSpecial(UInt8(scalar.value))) {
                line.append(unit: scalar.utf8)
            } else {
                line.append(unit: escape(for: scalar).utf8)
            }
        }
        return line.text
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
        let properties = scalar.properties
        // Keep zero-width joiners and non-joiners.
        if scalar == "\u{200C}" || scalar == "\u{200D}" || properties.isVariationSelector { return true }
        if properties.isDefaultIgnorableCodePoint || properties.isBidiControl { return false }
        return ![.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
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

extension String {
    /// Returns whether the string has at most `limit` bytes of UTF-8 and all of them satisfy a condition.
    @inlinable
    package func hasOnly(atMost limit: Int = .max, _ isWanted: (UInt8) -> Bool) -> Bool {
        let hasOnly = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            // Don't return early: without a branch, the processor checks many bytes at the same time.
            unsafe bytes.count <= limit && bytes.reduce(UInt8(0)) { $0 | (isWanted($1) ? 0 : 1) } == 0
        }
        // Handle Foundation's strings separately: their storage might not be contiguous.
        return hasOnly ?? (utf8.dropFirst(limit).isEmpty && utf8.allSatisfy(isWanted))
    }
}
