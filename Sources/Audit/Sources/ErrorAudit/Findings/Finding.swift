/// A place where an error is probably lost.
public struct Finding: Sendable, Encodable {
    /// The file, as it was named on the command line or found under a folder that was.
    public let path: String
    /// The line of the token that the kind is about, from 1.
    public let line: Int
    /// The column of that token in UTF-8, from 1.
    public let column: Int
    /// The way in which it is lost.
    public let kind: Kind
    /// How likely a loss is, from 0 to 100.
    public let score: Int
    /// What stands there that moved the score, the strongest reason first.
    public let why: [String]
    /// Why the error needs no report, if the code itself shows it; nil for a loss.
    public let harmless: String?
    /// The line of code.
    public let code: String
    /// What to write instead.
    public let instead: String
    /// Whether `--fix` rewrites it.
    public var isFixable: Bool { !edits.isEmpty }

    /// The rewrite, if it keeps the program's types and isolation.
    let edits: [Edit]

    enum CodingKeys: String, CodingKey {
        case path, line, column, kind, score, why, harmless, code, instead
    }
}

/// A replacement of bytes in a file.
struct Edit: Sendable, Equatable {
    let range: Range<Int>
    let text: String
}

extension Sequence<Finding> {
    /// The findings, the likeliest loss first.
    public func ranked() -> [Finding] {
        sorted { ($1.score, $0.path, $0.line, $0.column) < ($0.score, $1.path, $1.line, $1.column) }
    }
}
