/// A report's fields as text, `key=value`, the ones that a reader needs first at the beginning.
struct EntryText {
    let text: String

    init(_ fields: [String: String]) {
        let rank = { (key: String) in Self.ranks[key] ?? Self.first.count }
        text = fields.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }
            .map { key, value in "\(Self.word(key))=\(Self.word(value))" }.joined(separator: " ")
    }

    /// The keys before those of the metadata.
    private static let first = [
        "exception.type", "error.source", "error.disposition", "error.rule", "error.scope", "error.trail",
        "error.occurrences",
    ]

    /// The keys after those of the metadata: of little use to a reader of the text, whose line has a time, say.
    private static let last = ["exception.message", "error.role", "error.time", "error.fingerprint"]

    private static let ranks = Dictionary(
        uniqueKeysWithValues: first.enumerated().map { ($1, $0) }
            + last.enumerated().map { ($1, first.count + 1 + $0) })

    /// Returns the string, quoted unless it is one word.
    ///
    /// The fields have no line breaks or control characters.
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
