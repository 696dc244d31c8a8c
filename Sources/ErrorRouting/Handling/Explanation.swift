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

    /// When a rule has its turn.
    public enum Stage: Sendable, Hashable, CaseIterable {
        /// Among the rules that match errors.
        case rule
        /// After them, if none of them matched.
        case onNoMatch
        /// Last, whatever happened.
        case always
    }

    /// One rule with what can be said of it.
    public struct Entry: Sendable {
        /// When it has its turn.
        public let stage: Stage
        /// The rule, with its matcher in words and where it was registered.
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
        let rows = entries.enumerated().map { index, entry in
            ["\(index + 1).", entry.rule.matcher, "\(entry.rule.source)", "\(entry.verdict)"]
        }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let number = String(repeating: " ", count: widths[0] - row[0].count) + row[0]
            let cells = (1..<3).map { row[$0] + String(repeating: " ", count: widths[$0] - row[$0].count) }
            lines.append("  \(number) \(cells[0])  \(cells[1])  \(row[3])")
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
        for rule in rules[.rules] {
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
            entries.append(.init(stage: .rule, rule: rule.registration.description, verdict: verdict))
        }
        for (place, rule) in rules[.onNoMatch].enumerated() {
            var verdict = place == 0 ? Explanation.Verdict.matched : .matchedIfReached
            if let firstMatch {
                verdict = .notReached(
                    because: "rule \(firstMatch) \(firstMatch == stop ? "ignores the error" : "matched")")
            }
            entries.append(.init(stage: .onNoMatch, rule: rule.registration.description, verdict: verdict))
        }
        for (place, rule) in rules[.always].enumerated() {
            let verdict = place == 0 ? Explanation.Verdict.matched : .matchedIfReached
            entries.append(.init(stage: .always, rule: rule.registration.description, verdict: verdict))
        }
        return Explanation(error: error, entries: entries)
    }
}
