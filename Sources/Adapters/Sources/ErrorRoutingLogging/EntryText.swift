/// A report's fields as a string of `key=value` pairs, starting with the fields that a reader needs first.
struct EntryText {
    let text: String

    init(_ fields: [String: String]) {
        let rank = { (key: String) in Self.ranks[key] ?? Self.first.count }
        text = fields.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }
            .map { key, value in "\(Self.word(key))=\(Self.word(value))" }.joined(separator: " ")
    }

    /// The keys that come before the metadata's keys.
    private static let first = [
        "exception.type", "error.source", "error.disposition", "error.rule", "error.scope", "error.trail",
        "error.occurrences",
    ]

    /// The keys that come after the metadata's keys, because they help readers little: a log line already shows its
    /// time.
    private static let last = ["exception.message", "error.role", "error.time", "error.fingerprint"]

    private static let ranks = Dictionary(
        uniqueKeysWithValues: first.enumerated().map { ($1, $0) }
            + last.enumerated().map { ($1, first.count + 1 + $0) })

    /// Returns the string, in quotation marks unless it is one word.
    ///
    /// The fields don't contain line breaks or control characters.
    private static func word(_ text: String) -> String {
        let needsQuotes = text.isEmpty || text.utf8.contains { $0 == 0x20 || $0 == 0x22 || $0 == 0x3D || $0 == 0x5C }
        guard needsQuotes else { return text }
        let escaped = text.reduce(into: "") { result, character in
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return "\"\(escaped)\""
    }
}
