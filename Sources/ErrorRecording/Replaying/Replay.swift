public import ErrorRouting
import Foundation

/// Asks of recorded errors what other rules would have done with them; runs no action.
///
/// ```swift
/// import ErrorRecording
/// import ErrorRouting
///
/// func check(_ rules: ErrorHandler, against lines: [String]) -> Bool {
///     var replay = Replay(rules: rules)
///     for line in lines { replay.add(line) }
///     print(replay)
///     return replay.differences.isEmpty
/// }
/// ```
///
/// An error that can be rebuilt is explained by the new rules, and the rule at which its way would end is compared with
/// the recorded one. What an action returns is not known, so each is taken to return what was returned when the error
/// was handled: see `Explanation.outcome(matchedRuleCount:)`.
///
/// Two rules are taken for the same if their matchers have the same text and they are registered in the same file;
/// where the new rules have several of that kind, the line decides. So a rule may move within its file, and
/// a predicate that has changed is seen only if its matcher's name has changed too.
public struct Replay: Sendable, CustomStringConvertible {
    /// What became of an error, and what would become of it.
    public struct Difference: Sendable, Hashable {
        /// The full name of the error's type.
        public let type: String
        /// What became of the error: `handled by type(PaymentError) at Intake/Rules.swift:12`.
        public let before: String
        /// What would become of it.
        public let after: String

        /// Makes a difference, for tests.
        ///
        /// - Parameters:
        ///   - type: The full name of the error's type.
        ///   - before: What became of the error.
        ///   - after: What would become of it.
        public init(type: String, before: String, after: String) {
            self.type = type
            self.before = before
            self.after = after
        }
    }

    /// The number of reports of which the same would become.
    public private(set) var unchanged = 0
    /// The number of reports of which something else would become, by what was and what would be.
    public private(set) var differences: [Difference: Int] = [:]
    /// The number of reports whose errors could not be rebuilt, by the full names of the errors' types.
    public private(set) var notRebuilt: [String: Int] = [:]
    /// The number of reports that were recorded undelivered, so that no rules had been asked.
    public private(set) var undelivered = 0
    /// The number of lines that are no records of a version that is known.
    public private(set) var unreadable = 0

    private let rules: ErrorHandler
    private let scopes: [String: ErrorHandler]
    let rebuilding: RebuildableErrors

    /// Makes a replay.
    ///
    /// - Parameters:
    ///   - rules: The rules of the bus.
    ///   - scopes: The rules of scopes, by their paths such as `checkout` and `checkout/payment`, each tried before
    ///     those around it. The rules of a scope with the order `.rootFirst` are to be overlaid by `rules` instead.
    ///   - rebuilding: The types of errors that were added when the errors were recorded.
    public init(
        rules: ErrorHandler,
        scopes: [String: ErrorHandler] = [:],
        rebuilding: RebuildableErrors = RebuildableErrors()
    ) {
        self.rules = rules
        self.scopes = scopes
        self.rebuilding = rebuilding
    }

    /// Replays one line of a file; an empty line is passed over.
    ///
    /// - Parameter line: The line, with or without its end.
    /// - Complexity: That of building the rules of the error's scope, and O(number of rules).
    public mutating func add(_ line: some StringProtocol) {
        if line.allSatisfy(\.isWhitespace) { return }
        guard let record = try? JSONDecoder().decode(ErrorRecord.self, from: Data(line.utf8)),
            (1...ErrorRecord.version).contains(record.version)
        else {
            unreadable += 1
            return
        }
        // What `shutdown` gives back, say.
        let delivered: [HandleOutcome.Disposition] = [.handled, .ignored, .unmatched]
        guard delivered.contains(where: { $0.rawValue == record.disposition }) else {
            undelivered += 1
            return
        }
        guard let error = rebuilding.error(of: record) else {
            notRebuilt[record.type, default: 0] += 1
            return
        }
        let explanation = explain(error, in: record.scope)
        let outcome = explanation.outcome(matchedRuleCount: record.matchedRuleCount)
        if record.disposition == outcome.disposition.rawValue, isSame(outcome.rule, record, explanation) {
            unchanged += 1
        } else {
            let after = Self.text(outcome.disposition.rawValue, outcome.rule?.matcher, outcome.rule?.source.description)
            let before = Self.text(record.disposition, record.rule, record.ruleSource)
            differences[Difference(type: record.type, before: before, after: after), default: 0] += 1
        }
    }

    /// Explains an error by the rules of its scopes, as a bus would that has them.
    private func explain(_ error: any Error, in path: [String]) -> Explanation {
        guard !path.isEmpty, !scopes.isEmpty else { return rules.explain(error) }
        let bus = ErrorBus(handler: rules)
        var scope: ErrorScope?
        for (index, name) in path.enumerated() {
            let handler = scopes[path[...index].joined(separator: "/")] ?? ErrorHandler()
            scope = scope?.scope(name, handler: handler) ?? bus.scope(name, handler: handler)
        }
        return scope?.explain(error) ?? rules.explain(error)
    }

    /// Whether a rule is taken for the one that is recorded.
    private func isSame(_ rule: RuleDescription?, _ record: ErrorRecord, _ explanation: Explanation) -> Bool {
        guard let rule else { return record.rule == nil }
        guard rule.matcher == record.rule, let source = record.ruleSource else { return false }
        if rule.source.description == source { return true }
        func isAlike(_ other: RuleDescription) -> Bool {
            other.matcher == rule.matcher && other.source.fileID == rule.source.fileID
        }
        return Self.file(of: source) == rule.source.fileID
            && explanation.entries.count { $0.stage == .rule && isAlike($0.rule) } == 1
    }

    /// Returns the file of `File.swift:12`.
    private static func file(of source: String) -> Substring {
        source.lastIndex(of: ":").map { source[..<$0] } ?? source[...]
    }

    private static func text(_ disposition: String, _ rule: String?, _ source: String?) -> String {
        rule.map { "\(disposition) by \($0) at \(source ?? "?")" } ?? disposition
    }
}
