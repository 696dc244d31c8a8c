/// A location where an error is probably lost.
public struct Finding: Sendable, Encodable {
    /// The file's path, as given on the command line or found under a given folder.
    public let path: String
    /// The line of the relevant token, starting at 1.
    public let line: Int
    /// The UTF-8 column of that token, starting at 1.
    public let column: Int
    /// How the error is lost.
    public let kind: Kind
    /// How likely the loss is, from 0 to 100.
    public let score: Int
    /// The reasons for the score, the strongest first.
    public let why: [String]
    /// Why the error needs no report, according to the code; nil for a loss.
    public let harmless: String?
    /// The line of code.
    public let code: String
    /// The code to write instead.
    public let instead: String
    /// Whether `--fix` rewrites it.
    public var isFixable: Bool { !edits.isEmpty }

    /// The rewrite, if it is certain to compile.
    private(set) var edits: [Edit]

    /// Returns the finding without its rewrite.
    func withoutEdits() -> Self {
        var finding = self
        finding.edits = []
        return finding
    }

    enum CodingKeys: String, CodingKey {
        case path, line, column, kind, score, why, harmless, code, instead
    }
}

extension Sequence<Finding> {
    /// Returns the findings, the likeliest loss first.
    public func ranked() -> [Finding] {
        sorted { ($1.score, $0.path, $0.line, $0.column) < ($0.score, $1.path, $1.line, $1.column) }
    }
}
