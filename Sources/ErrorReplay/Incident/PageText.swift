import BoundedDescriptions

/// Writes arbitrary strings as JSON that stays inert inside the script element of an HTML page.
package struct PageText {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Returns a string on one line and of bounded length, with invisible and reordering characters escaped.
    static func shown(_ text: String, _ limit: Int) -> String {
        let line = OneLine.escaped(text)
        if line.utf8.count <= limit { return line }
        var shown = BoundedText(limit: limit)
        shown.append(line)
        return shown.text
    }

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func raw(_ text: [UInt8]) { bytes += text }

    /// Appends a string in quotation marks.
    ///
    /// Characters that could close the element or end a script's line are escaped by number.
    mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "<", ">", "&", "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                raw("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)")
            default:
                bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a key and its value to an object, after a comma unless it is the first key.
    mutating func field(_ key: String, _ write: (inout PageText) -> Void) {
        if bytes.last != UInt8(ascii: "{") { raw(",") }
        raw("\"\(key)\":")
        write(&self)
    }

    mutating func field(_ key: String, _ number: Int?) {
        if let number { field(key) { $0.raw(String(number)) } }
    }

    mutating func list<Element>(_ elements: some Sequence<Element>, _ write: (inout PageText, Element) -> Void) {
        raw("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { raw(",") }
            write(&self, element)
        }
        raw("]")
    }
}
