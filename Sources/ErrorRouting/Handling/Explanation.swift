import BoundedDescriptions

/// Explains how a handler would handle an error, or which value a map would return for it, rule by rule.
///
/// Use its description in bug reports.
public struct Explanation: Sendable, CustomStringConvertible {
    /// Whether a rule matches an error, and whether it is reached.
    public enum Verdict: Sendable, Hashable {
        /// The rule matches, and its action runs.
        case matched
        /// The rule matches. Its action runs only if every action before it returns `.next`, which isn't known.
        case matchedIfReached
        /// The rule doesn't match.
        case notMatched
        /// The rule isn't tried, for the given reason.
        case notReached(because: String)
        /// The result depends on the error itself, but only its names are known, as in a replay of records.
        case undecided
    }

    /// One rule with its verdict.
    public struct Entry: Sendable, Hashable {
        /// When the rule is tried.
        public let stage: RuleStage
        /// The rule, with its matcher as a string and its source location.
        public let rule: RuleDescription
        /// Whether the rule matches, and whether it is reached.
        public let verdict: Verdict
        /// The path of the rule's scope, outermost first; empty for a rule of the bus or of a handler that is explained
        /// alone.
        public let scope: [String]
    }

    /// The error that is explained.
    package let error: any Error
    /// The details of the bus that created the explanation; nil if a handler or a map created it.
    var details: DetailsTable?
    /// The rules in the order in which they are tried: matching rules, then `onNoMatch`, then `always`.
    public let entries: [Entry]
    /// The disposition that the error has if the first matching rule stops the search.
    ///
    /// It is `.handled`, `.ignored`, or `.unmatched`. If the rules can't be reached, because there is no bus, it is
    /// `.dropped`. It is `.pending` if it is unknown: evaluating the error or a rule calls `explain` again without
    /// end, or a rule before the first match is ``Verdict/undecided``.
    public let disposition: HandleOutcome.Disposition
    /// The matching `ignore` rule; nil if there is none, and always nil for a map.
    package let ignoreRule: RuleDescription?

    /// The first rule that matches; nil if no rule matches.
    public var rule: RuleDescription? {
        entries.first { $0.stage == .rule && $0.verdict == .matched }?.rule
    }

    /// A string with one line for each rule, numbered in the order in which they are tried.
    public var description: String {
        let described = DescribedError(error, by: details)
        let place = described.origin.map { ", thrown at \(OneLine.escaped($0.description))" } ?? ""
        var lines = ["\(described.typeName): \(OneLine.escaped(described.message))\(place)"]
        let hasScopes = entries.contains { !$0.scope.isEmpty }
        let rows = entries.enumerated().map { index, entry in
            let scope = entry.scope.isEmpty ? "the bus" : OneLine.escaped(entry.scope.joined(separator: "/"))
            let cells = ["\(index + 1).", entry.rule.matcher, OneLine.escaped(entry.rule.source.description)]
            let verdict = OneLine.escaped(entry.verdict.description)
            return cells + (hasScopes ? [scope, verdict] : [verdict])
        }
        // Limit the widths, so that a name longer than a line shifts only its own row.
        let widths = (0..<(hasScopes ? 4 : 3)).map { column in min(rows.map { $0[column].count }.max() ?? 0, 120) }
        for row in rows {
            let number = String(repeating: " ", count: widths[0] - row[0].count) + row[0]
            let cells = widths.indices.dropFirst().map { column in
                row[column] + String(repeating: " ", count: max(widths[column] - row[column].count, 0))
            }
            lines.append("  \(number) \((cells + [row[widths.count]]).joined(separator: "  "))")
        }
        if entries.isEmpty { lines.append("  There are no rules.") }
        if entries.contains(where: { $0.verdict == .matchedIfReached }) {
            lines.append("  No action has run; \"if reached\" depends on what the actions before it would return.")
        }
        return lines.joined(separator: "\n")
    }
}

extension Explanation: Equatable {
    /// Whether two explanations have the same entries and the same disposition, for errors that look the same.
    ///
    /// The explained errors are compared by type and message, because most error types aren't `Equatable`.
    public static func == (first: Self, second: Self) -> Bool {
        first.entries == second.entries && first.disposition == second.disposition
            && first.ignoreRule == second.ignoreRule && ErrorText.looksSame(first.error, second.error)
    }
}

extension Explanation.Verdict: CustomStringConvertible {
    /// The verdict as a string.
    public var description: String {
        switch self {
        case .matched: "matched"
        case .matchedIfReached: "matched, runs if reached"
        case .notMatched: "did not match"
        case .notReached(let reason): "not reached: \(reason)"
        case .undecided: "not known: the error itself would decide"
        }
    }
}

extension Explanation {
    /// Evaluates the rules of a path without running actions.
    ///
    /// The path contains the rule sets that the error would pass through, innermost first. In a map, the search stops
    /// at the first match. If there is a reason why the error wouldn't reach the rules, they aren't evaluated.
    /// Evaluating a rule or an error might call `explain` again; beyond a limit, such an inner call doesn't evaluate
    /// rules.
    init(
        _ error: any Error, on path: [BlockPath.Member], endsAtMatch: Bool = false,
        unreachableBecause reason: String? = nil
    ) {
        let error = UnboxedError(error)
        let evaluate = {
            var subject = ErrorSubject(error)
            return Explanation(error.error, on: path, endsAtMatch: endsAtMatch) { rule in
                rule.mayMatch(subject.type) && rule.callMatcher(&subject)
            }
        }
        if reason == nil, let evaluated = PerThread.inUserCode(evaluate) {
            self = evaluated
            return
        }
        let verdict = Verdict.notReached(because: reason ?? "it is explained within itself")
        let entries = RuleStage.allCases.flatMap { Self.entries($0, on: path) { _ in verdict } }
        self.init(
            error: error.error, entries: entries, disposition: reason == nil ? .pending : .dropped, ignoreRule: nil)
    }

    /// Evaluates the rules of a path with a closure; if the closure returns nil for a rule, the rule is undecided.
    init(
        _ error: any Error, on path: [BlockPath.Member], endsAtMatch: Bool = false, isMatched: (Rule) -> Bool?
    ) {
        var (count, isUndecided) = (0, false)
        var firstMatch: (disposition: HandleOutcome.Disposition, reason: String)?
        // Why the remaining rules aren't reached, once a rule ends the search.
        var end: String?
        var ignoreRule: RuleDescription?
        var entries = Self.entries(.rule, on: path) { rule in
            count += 1
            if let end { return .notReached(because: end) }
            guard let isMatched = isMatched(rule) else {
                if firstMatch == nil { isUndecided = true }
                return .undecided
            }
            if !isMatched { return .notMatched }
            let stop = rule.traits.stop
            let reason = "rule \(count) \(stop?.verbs.inExplanation ?? (endsAtMatch ? "decides" : "matched"))"
            if stop != nil || endsAtMatch { end = reason }
            if stop == .ignoring { ignoreRule = rule.description }
            if firstMatch != nil { return .matchedIfReached }
            firstMatch = (stop?.decision.disposition ?? .handled, reason)
            return isUndecided ? .matchedIfReached : .matched
        }
        for stage in [RuleStage.onNoMatch, .always] {
            var isFirst = !isUndecided
            entries += Self.entries(stage, on: path) { _ in
                if stage == .onNoMatch, let firstMatch { return .notReached(because: firstMatch.reason) }
                defer { isFirst = false }
                return isFirst ? .matched : .matchedIfReached
            }
        }
        let disposition = isUndecided ? .pending : firstMatch?.disposition ?? .unmatched
        self.init(error: error, entries: entries, disposition: disposition, ignoreRule: ignoreRule)
    }

    /// Returns the entries of a stage's rules in the order in which they are tried.
    private static func entries(
        _ stage: RuleStage, on path: [BlockPath.Member], _ verdict: (Rule) -> Verdict
    ) -> [Entry] {
        BlockPath.Member.inOrder(path, of: stage).flatMap { member in
            member.rules[stage].map { rule in
                let description = rule.description
                return Entry(stage: stage, rule: description, verdict: verdict(rule), scope: member.scope)
            }
        }
    }
}

extension ErrorHandler {
    /// Explains how the handler would handle an error, rule by rule.
    ///
    /// It calls predicates, but not actions. Among the results of actions, only those of `ignore` and `expecting` are
    /// known. So every match after the first has the verdict ``Explanation/Verdict/matchedIfReached``.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        Explanation(error, on: [.init(rules: rules)])
    }

    /// Explains how the handler would handle an error that isn't available, without running user code.
    ///
    /// - Parameters:
    ///   - error: The error that represents it in the explanation.
    ///   - isMatched: Returns whether a matcher matches the error; nil if that depends on the error itself.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    package func explain(_ error: any Error, isMatched: (MatcherShape) -> Bool?) -> Explanation {
        Explanation(error, on: [.init(rules: rules)]) { isMatched($0.shape) }
    }
}
