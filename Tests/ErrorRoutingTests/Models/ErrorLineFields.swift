/// A line of `key=value` fields, read byte by byte as a log reader would read it.
///
/// Values are bare words, or quoted with `\"`, `\\`, `\n`, `\r`, `\t`, and `\u{…}` for characters that aren't allowed.
struct ErrorLineFields {
    private(set) var keys: [String] = []
    private(set) var values: [String] = []

    /// Reads a line, or returns nil if it isn't such a line.
    init?(_ line: String) {
        // Read scalars: a quotation mark ends a string even if it forms one character with an accent.
        var rest = Array(line.unicodeScalars)[...]
        guard rest.starts(with: "failure".unicodeScalars) else { return nil }
        rest = rest.dropFirst("failure".count)
        while !rest.isEmpty {
            guard rest.popFirst() == " ", let key = Self.key(&rest), let value = Self.value(&rest) else { return nil }
            keys.append(key)
            values.append(value)
        }
    }

    subscript(key: String) -> String? {
        keys.firstIndex(of: key).map { values[$0] }
    }

    private static func key(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        var key = String.UnicodeScalarView()
        while let next = rest.popFirst() {
            switch next {
            case "=": return String(key)
            case "\"":
                guard let text = quoted(&rest) else { return nil }
                key.append(contentsOf: text.unicodeScalars)
            case " ": return nil
            default: key.append(next)
            }
        }
        return nil
    }

    private static func value(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        if rest.first == "\"" {
            rest = rest.dropFirst()
            return quoted(&rest)
        }
        let word = rest.prefix { $0 != " " }
        rest = rest.dropFirst(word.count)
        if word.contains("\"") || word.contains("=") { return nil }
        return String(String.UnicodeScalarView(word))
    }

    /// Reads up to the closing quotation mark.
    private static func quoted(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        var text = String.UnicodeScalarView()
        while let next = rest.popFirst() {
            if next == "\"" { return String(text) }
            guard next == "\\" else {
                text.append(next)
                continue
            }
            switch rest.popFirst() {
            case "\\": text.append("\\")
            case "\"": text.append("\"")
            case "n": text.append("\n")
            case "r": text.append("\r")
            case "t": text.append("\t")
            case "u":
                let digits = rest.dropFirst().prefix { $0 != "}" }
                guard rest.first == "{", let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16),
                    let scalar = Unicode.Scalar(value)
                else { return nil }
                text.append(scalar)
                rest = rest.dropFirst(digits.count + 2)
            default: return nil
            }
        }
        return nil
    }
}
