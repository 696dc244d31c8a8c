/// A location where an error is probably lost.
public struct Finding: Sendable, Encodable {
    /// What identifies a finding: neither its line's number nor the line's text, which other changes alter.
    public struct Identity: Sendable, Codable, Hashable {
        /// The file's path in the project's folder.
        public internal(set) var path: String
        /// How the error is lost.
        public internal(set) var kind: Kind
        /// The surrounding function or property, with its types: `Store.save`.
        public let function: String
        /// The calls that can fail: `api.send`.
        public let call: String
    }

    /// The file's path, relative to the current folder if the file is in it.
    public let path: String
    /// The line of the relevant token, starting at 1.
    public let line: Int
    /// The column of that token in Unicode scalars, starting at 1.
    public let column: Int
    /// What identifies the finding.
    public internal(set) var identity: Identity
    /// How the error is lost.
    public var kind: Kind { identity.kind }
    /// How likely the loss matters, from 0 to 100.
    public internal(set) var score: Int
    /// The reasons for the score, the strongest first.
    public internal(set) var why: [String]
    /// Why the error needs no report, according to the code; nil for a loss.
    public internal(set) var harmless: String?
    /// The code to write instead.
    public internal(set) var instead: String
    /// Whether `--fix` rewrites it.
    public var isFixable: Bool { !edits.isEmpty }

    /// The rewrite, if it is certain to compile.
    var edits: [Edit]

    /// The function and the calls, or the part of them that fits on a line.
    var place: String {
        let call = identity.call.count > 60 ? identity.call.prefix(59) + "…" : identity.call
        return [identity.function, call].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The reasons in one sentence.
    var reason: String { harmless.map { "harmless: \($0)" } ?? why.joined(separator: "; ") }

    /// The message for code scanning.
    var message: String { "\(place): \(reason). Write: \(instead)" }

    enum CodingKeys: String, CodingKey { case path, line, column, identity, score, why, harmless, instead }
}

extension Sequence<Finding> {
    /// Returns the findings, those that matter most first, and the harmless ones last.
    public func ranked() -> [Finding] {
        sorted { ($1.score, $0.path, $0.line, $0.column) < ($0.score, $1.path, $1.line, $1.column) }
    }
}
