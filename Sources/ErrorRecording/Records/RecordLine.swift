import BoundedDescriptions

/// The bytes of a record's line, including the newline.
///
/// The line is written by hand for two reasons: the fields that readers look for first come first in every line, and a
/// `JSONEncoder` takes several times as long and orders the keys differently in every run.
package struct RecordLine {
    /// The maximum length of a line in bytes.
    package static let limit = 1 << 20

    package private(set) var bytes: [UInt8] = []

    /// Encodes a record as a line of at most `limit` bytes, and shortens the record if needed.
    ///
    /// A limit less than ``ErrorRecord/smallestLine`` is raised to ``ErrorRecord/smallestLine``, and a limit greater
    /// than ``limit`` is lowered to ``limit``.
    package init(_ record: ErrorRecord, limit: Int = Self.limit) {
        let limit = min(max(limit, ErrorRecord.smallestLine), Self.limit)
        write(record)
        guard bytes.count > limit else { return }
        write(record.fitting(limit))
        assert(bytes.count <= limit, "what is not bounded is not left out")
    }

    /// Returns the length of a record's line, without a limit.
    static func length(of record: ErrorRecord) -> Int {
        var line = RecordLine()
        line.write(record)
        return line.bytes.count
    }

    private init() {}

    private mutating func pairs(_ metadata: [String: String]) {
        for (index, (key, value)) in metadata.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { append(",") }
            text(key)
            append(":")
            text(value)
        }
    }

    private mutating func write(_ record: ErrorRecord) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(1_024)
        add(#"{"version":"#, record.version)
        add(#","time":"#, record.time)
        add(#","host":"#, record.host)
        add(#","service":"#, record.service)
        add(#","release":"#, record.release)
        add(#","process":"#, record.process)
        add(#","start":"#, record.start)
        add(#","sequence":"#, record.sequence)
        add(#","disposition":"#, record.disposition)
        add(#","role":"#, record.role)
        add(#","type":"#, record.type)
        add(#","caseName":"#, record.caseName)
        add(#","kind":"#, record.kind)
        add(#","domain":"#, record.domain)
        add(#","code":"#, record.code)
        if record.cancellation == true { append(#","cancellation":true"#) }
        add(#","message":"#, record.message)
        add(#","source":"#, record.source)
        add(#","origin":"#, record.origin)
        append(#","scope":"#)
        list(record.scope) { $0.text($1) }
        append(#","metadata":{"#)
        // Skip empty metadata, because most reports don't have any and sorting it allocates.
        if !record.metadata.isEmpty { pairs(record.metadata) }
        append("}")
        add(#","occurrences":"#, record.occurrences)
        add(#","firstTime":"#, record.firstTime)
        add(#","rule":"#, record.rule)
        add(#","ruleSource":"#, record.ruleSource)
        add(#","matchedRuleCount":"#, record.matchedRuleCount)
        add(#","fingerprint":"#, record.fingerprint)
        append(#","trail":"#)
        list(record.trail) { line, step in
            line.append(#"{"type":"#)
            line.text(step.type)
            line.append(#","message":"#)
            line.text(step.message)
            line.append(#","fingerprint":"#)
            line.text(step.fingerprint)
            line.append("}")
        }
        add(#","value":"#, record.value)
        if let shortened = record.shortened {
            append(#","shortened":"#)
            list(shortened) { $0.text($1) }
        }
        append("}\n")
    }

    // MARK: Parts

    private mutating func append(_ part: StaticString) {
        part.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func append(byte: Unicode.Scalar) { bytes.append(UInt8(ascii: byte)) }

    private mutating func add(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        append(key)
        text(value)
    }

    private mutating func add(_ key: StaticString, _ value: Int?) {
        guard let value else { return }
        append(key)
        bytes.append(contentsOf: String(value).utf8)
    }

    private mutating func list<Element>(_ elements: [Element], _ write: (inout RecordLine, Element) -> Void) {
        append("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            write(&self, element)
        }
        append("]")
    }

    /// Appends a string in quotation marks.
    ///
    /// It escapes the characters that JSON doesn't allow in a string, and the characters that some readers treat as
    /// line ends. The bytes between two escaped characters are copied in one piece.
    private mutating func text(_ text: String) {
        append(byte: "\"")
        defer { append(byte: "\"") }
        if text.hasOnly({ !Self.mayBeginEscape($0) }) { return bytes.append(contentsOf: text.utf8) }
        var text = text
        text.withUTF8 { text in
            var (begin, index) = (0, 0)
            while index < text.count {
                let length = unsafe Self.lengthToEscape(at: index, text)
                guard length > 0 else {
                    index += 1
                    continue
                }
                unsafe bytes.append(contentsOf: text[begin..<index])
                unsafe escape(text[index..<index + length])
                index += length
                begin = index
            }
            unsafe bytes.append(contentsOf: text[begin...])
        }
    }

    /// Returns whether a character that begins with the given byte might need escaping.
    @inline(__always)
    private static func mayBeginEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0xC2 || byte == 0xE2
    }

    /// Returns the byte count of the character at a position if it needs escaping; otherwise 0.
    @inline(__always)
    private static func lengthToEscape(at index: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int {
        switch unsafe text[index] {
        case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"): 1
        // Match U+0085, U+2028, and U+2029. Reading the next bytes is safe, because the string is valid UTF-8.
        case 0xC2: unsafe text[index + 1] == 0x85 ? 2 : 0
        case 0xE2: unsafe text[index + 1] == 0x80 && text[index + 2] & 0xFE == 0xA8 ? 3 : 0
        default: 0
        }
    }

    private mutating func escape(_ character: Slice<UnsafeBufferPointer<UInt8>>) {
        let scalar = unsafe String(decoding: character, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\n": append("\\n")
        default:
            let digits = String(scalar.value, radix: 16)
            bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        }
    }

    // MARK: Lengths

    /// Returns the number of bytes that a string takes between its quotation marks.
    static func length(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + length(of: $1) } }

    /// Returns the longest prefix that fits into `length` bytes together with the mark of a shortened string.
    static func prefix(of text: String, length: Int) -> String {
        var rest = length - BoundedText.mark.utf8.count
        let end = text.unicodeScalars.firstIndex { scalar in
            rest -= Self.length(of: scalar)
            return rest < 0
        }
        return text[..<(end ?? text.endIndex)] + BoundedText.mark
    }

    private static func length(of scalar: Unicode.Scalar) -> Int {
        switch scalar {
        case "\"", "\\", "\n": 2
        case "\u{0}"..<" ", "\u{85}", "\u{2028}", "\u{2029}": 6
        default: UTF8.width(scalar)
        }
    }
}
