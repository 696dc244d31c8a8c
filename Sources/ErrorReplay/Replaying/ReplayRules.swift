import ErrorRouting

/// The rules of a replay, and the comparison of their results with the recorded results.
struct ReplayRules: Sendable {
    /// Explains errors with the rules of a path of scopes.
    enum Path: Sendable {
        case bus(ErrorHandler)
        case scope(ErrorScope)

        func explain(_ error: any Error) -> Explanation {
            switch self {
            case .bus(let rules): rules.explain(error)
            case .scope(let scope): scope.explain(error)
            }
        }

        /// Explains an error by its names, without running user code; the explanation shows the error's type name.
        func explain(named names: ErrorNames) -> Explanation {
            let error = NamedError(description: names.typeName)
            return switch self {
            case .bus(let rules): rules.explain(error, isMatched: names.isMatched)
            case .scope(let scope): scope.explain(error, isMatched: names.isMatched)
            }
        }
    }

    /// A stand-in for an error that isn't available, for use in an explanation.
    private struct NamedError: Error, CustomStringConvertible {
        let description: String
    }

    private let rules: ErrorHandler
    private let scopes: [String: ErrorHandler]
    private let longestPath: Int
    /// A bus that creates the scopes and never runs.
    ///
    /// Its scopes combine rules as they would in a service.
    private let bus: ErrorBus
    /// The rules by path; a path contains only scopes that have rules.
    private var paths: [[String]: Path]
    /// The descriptions of the rules that have matched.
    private var texts: [RuleDescription: Text] = [:]

    private struct Text {
        let matcher: String
        let source: String
        let fileID: String
        let suffix: String
    }

    init(_ rules: ErrorHandler, scopes: [String: ErrorHandler]) {
        (self.rules, self.scopes) = (rules, scopes)
        longestPath = scopes.keys.map(\.utf8.count).max() ?? -1
        bus = ErrorBus(handler: rules)
        paths = [[]: .bus(rules)]
    }

    /// Returns the rules of a path: the rules of its known scopes, starting with the innermost scope, and of the bus.
    mutating func path(_ names: [String]) -> Path {
        let known = known(names)
        if let path = paths[known] { return path }
        var scope: ErrorScope?
        for name in known {
            let handler = scopes[name] ?? ErrorHandler()
            scope = scope?.scope(name, handler: handler) ?? bus.scope(name, handler: handler)
        }
        let path = scope.map(Path.scope) ?? .bus(rules)
        paths[known] = path
        return path
    }

    /// Returns the paths of the scopes that have rules, starting with the outermost scope.
    private func known(_ names: [String]) -> [String] {
        // Stop at the longest known path, because a file might contain a path of thousands of names.
        var (known, path) = ([String](), "")
        for (index, name) in names.enumerated() where path.utf8.count <= longestPath {
            path += index == 0 ? name : "/\(name)"
            if scopes[path] != nil { known.append(path) }
        }
        return known
    }

    /// Compares a new outcome with the recorded outcome, and returns the result for the tally.
    mutating func compare(
        _ record: ReplayedRecord, _ outcome: HandleOutcome, _ explanation: Explanation?
    ) -> ReplayTally.Outcome {
        let disposition = outcome.disposition.rawValue
        let rule = outcome.rule.map { text($0) }
        let after = disposition + (rule?.suffix ?? "")
        if record.disposition == disposition, isSame(rule, record, explanation) { return .same(after) }
        let before = record.disposition + (record.rule.map { Self.suffix($0, record.ruleSource ?? "?") } ?? "")
        return .different(Replay.Difference(type: record.type, before: before, after: after))
    }

    /// Returns whether a rule counts as the same rule as the recorded rule.
    private func isSame(_ rule: Text?, _ record: ReplayedRecord, _ explanation: Explanation?) -> Bool {
        guard let rule, let explanation else { return rule == nil && record.rule == nil }
        guard rule.matcher == record.rule, let source = record.ruleSource else { return false }
        if rule.source == source { return true }
        func isAlike(_ other: RuleDescription) -> Bool {
            other.matcher == rule.matcher && other.source.fileID == rule.fileID
        }
        return Self.file(of: source) == rule.fileID
            && explanation.entries.count { $0.stage == .rule && isAlike($0.rule) } == 1
    }

    /// Returns the part of a result that follows the disposition if a rule determined the result.
    private static func suffix(_ rule: String, _ source: String) -> String { " by \(rule) at \(source)" }

    /// Returns the file in a source location such as `File.swift:12`.
    private static func file(of source: String) -> Substring {
        source.lastIndex(of: ":").map { source[..<$0] } ?? source[...]
    }

    private mutating func text(_ rule: RuleDescription) -> Text {
        if let text = texts[rule] { return text }
        let (matcher, source) = (rule.matcher, rule.source.description)
        let text = Text(
            matcher: matcher, source: source, fileID: rule.source.fileID, suffix: Self.suffix(matcher, source))
        texts[rule] = text
        return text
    }
}
