/// What a handler would do with an error, rule by rule, without doing it.
///
/// Its description is a text to paste into a bug report.
public struct Explanation: Sendable, CustomStringConvertible {
    /// What can be said of one rule.
    public enum Verdict: Sendable, Hashable {
        /// It matches, and its action runs.
        case matched
        /// It matches; its action runs only if every action before it answers `.next`, which only they know.
        case matchedIfReached
        /// It does not match.
        case notMatched
        /// It is not tried, for the reason given.
        case notReached(because: String)
    }

    /// One rule with what can be said of it.
    public struct Entry: Sendable {
        /// The rule, with its matcher in words and where it was registered; an `onNoMatch` or `always` goes by that
        /// name.
        public let rule: RuleDescription
        /// What can be said of it.
        public let verdict: Verdict
    }

    /// The error that is explained.
    public let error: any Error
    /// The rules in the order in which they are tried, then `onNoMatch`, then `always`.
    public let entries: [Entry]

    /// A text with a line for each rule, numbered in the order in which they are tried.
    public var description: String {
        var lines = ["\(ErrorText.typeName(of: error)): \(ErrorText.oneLine(ErrorText.message(of: error)))"]
        let width = entries.map { $0.rule.matcher.count }.max() ?? 0
        for (index, entry) in entries.enumerated() {
            let matcher = entry.rule.matcher
            let padding = String(repeating: " ", count: width - matcher.count)
            lines.append("  \(index + 1). \(matcher)\(padding)  \(entry.rule.source)  \(entry.verdict)")
        }
        if entries.isEmpty { lines.append("  The handler has no rules.") }
        if entries.contains(where: { $0.verdict == .matchedIfReached }) {
            lines.append("  No action has run; \"if reached\" depends on what the actions before it would answer.")
        }
        return lines.joined(separator: "\n")
    }
}

extension Explanation.Verdict: CustomStringConvertible {
    /// The verdict in words.
    public var description: String {
        switch self {
        case .matched: "matched"
        case .matchedIfReached: "matched, runs if reached"
        case .notMatched: "did not match"
        case .notReached(let reason): "not reached: \(reason)"
        }
    }
}

extension ErrorHandler {
    /// Says what the handler would do with an error, rule by rule.
    ///
    /// Predicates run; no action does. What an action would answer is known only of `ignore`, so after the first match
    /// the explanation says of the others that match that they run if they are reached.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        var subject = ErrorSubject(error)
        var entries: [Explanation.Entry] = []
        var firstMatch: Int?
        var stop: Int?
        for rule in rules[.rules].reversed() {
            let verdict: Explanation.Verdict
            if let stop {
                verdict = .notReached(because: "rule \(stop) ignores the error")
            } else if rule.matches(&subject) {
                verdict = firstMatch == nil ? .matched : .matchedIfReached
                firstMatch = firstMatch ?? entries.count + 1
                if rule.alwaysStops { stop = entries.count + 1 }
            } else {
                verdict = .notMatched
            }
            entries.append(.init(rule: rule.description, verdict: verdict))
        }
        for stage in [RuleSet.Stage.onNoMatch, .always] {
            for (place, rule) in rules[stage].reversed().enumerated() {
                let verdict: Explanation.Verdict
                if stage == .onNoMatch, let firstMatch {
                    verdict = .notReached(because: "rule \(firstMatch) matched")
                } else {
                    verdict = place == 0 ? .matched : .matchedIfReached
                }
                entries.append(.init(rule: rule.description, verdict: verdict))
            }
        }
        return Explanation(error: error, entries: entries)
    }
}
