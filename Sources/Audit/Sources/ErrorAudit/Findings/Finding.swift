/// A location where an error is probably lost.
public struct Finding: Sendable, Encodable {
    /// The properties that identify a finding even if other changes move or alter its line.
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
    /// The finding's identity in a baseline.
    public internal(set) var identity: Identity
    /// How the error is lost.
    public var kind: Kind { identity.kind }
    /// How likely it is that the loss matters, from 0 to 100.
    public internal(set) var score: Int
    /// The reasons for the score, strongest first.
    public internal(set) var why: [String]
    /// Why the error doesn't need a report, judging by the code; nil for a loss.
    public internal(set) var harmless: String?
    /// The suggested code.
    public internal(set) var instead: String
    /// Whether `--fix` rewrites the finding.
    public var isFixable: Bool { !edits.isEmpty }

    /// The rewrite, if it is certain to compile.
    var edits: [Edit]

    /// The function and the calls, truncated to fit on a line.
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
    /// Returns the findings in descending order of their scores, which puts harmless findings last.
    public func ranked() -> [Finding] {
        sorted { ($1.score, $0.path, $0.line, $0.column) < ($0.score, $1.path, $1.line, $1.column) }
    }
}
