/// What a handler would do with an error, or a map return, rule by rule, without doing it.
///
/// Its description is a text to paste into a bug report.
public struct Explanation: Sendable, CustomStringConvertible {
    /// What can be said of one rule.
    public enum Verdict: Sendable, Hashable {
        /// It matches, and its action runs.
        case matched
        /// It matches; its action runs only if every action before it returns `.next`, which only they know.
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
        /// The path of the scope that the rule came from, the outermost first; empty for the bus's own, and for a
        /// handler's.
        public let scope: [String]
    }

    /// The error that is explained.
    public let error: any Error
    /// The rules in the order in which they are tried, then `onNoMatch`, then `always`.
    public let entries: [Entry]
    /// What would become of the error if the first rule that matches stopped.
    ///
    /// `.handled`, `.ignored` or `.unmatched`; `.dropped` where no rule is reached, since there is no bus; `.pending`
    /// where it cannot be said, since an error or a rule asks for an explanation of itself.
    public let disposition: HandleOutcome.Disposition

    /// The first rule that matches; nil if none does.
    public var rule: RuleDescription? {
        entries.first { $0.stage == .rule && $0.verdict == .matched }?.rule
    }

    /// A text with a line for each rule, numbered in the order in which they are tried.
    public var description: String {
        var lines = ["\(ErrorText.typeName(of: error)): \(OneLine.escaped(ErrorText.message(of: error)))"]
        let hasScopes = entries.contains { !$0.scope.isEmpty }
        let rows = entries.enumerated().map { index, entry in
            let scope = entry.scope.isEmpty ? "the bus" : OneLine.escaped(entry.scope.joined(separator: "/"))
            let cells = ["\(index + 1).", entry.rule.matcher, OneLine.escaped(entry.rule.source.description)]
            let verdict = OneLine.escaped(entry.verdict.description)
            return cells + (hasScopes ? [scope, verdict] : [verdict])
        }
        // A name that is longer than a line shifts its own row, and no other.
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
    /// Predicates run; no action does. What an action would return is known only of `ignore`, so after the first match
    /// the explanation says of the others that match that they run if they are reached.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        var path = Explanation.Path()
        path.add(rules, of: [], isTriedFirst: true)
        return Explanation(error, on: path)
    }
}

extension Explanation {
    /// The rule sets that an error would go through, each with the path of its scope.
    struct Path {
        fileprivate let endsAtMatch: Bool
        /// From the inside out.
        private var inward: [(scope: [String], rules: RuleSet)] = []
        /// Those that are tried before all around them, and those that are tried after that; from the inside out too.
        private var triedFirst: [(scope: [String], rules: RuleSet)] = []
        private var triedLast: [(scope: [String], rules: RuleSet)] = []

        /// - Parameter endsAtMatch: Whether no rule after the first that matches is tried, since that one decides.
        init(endsAtMatch: Bool = false) { self.endsAtMatch = endsAtMatch }

        /// In the order in which rules are tried.
        private var tried: [(scope: [String], rules: RuleSet)] { triedFirst + triedLast.reversed() }

        /// Adds a rule set around all the others.
        ///
        /// - Parameters:
        ///   - rules: The rules to add.
        ///   - scope: The path of their scope.
        ///   - isTriedFirst: Whether they are tried before what is added later, or after it.
        mutating func add(_ rules: RuleSet, of scope: [String], isTriedFirst: Bool) {
            inward.append((scope, rules))
            if isTriedFirst { triedFirst.append((scope, rules)) } else { triedLast.append((scope, rules)) }
        }

        fileprivate func rules(_ stage: RuleSet.Stage) -> [(scope: [String], rule: Rule)] {
            (stage == .onNoMatch ? inward : tried).flatMap { set in set.rules[stage].map { (set.scope, $0) } }
        }
    }

    /// Asks the rules of a path, and lets none of them act.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - path: The rules that it would go through.
    ///   - reason: Why it would not get there, if that is known: then no rule is asked.
    init(_ error: any Error, on path: Path, unreachableBecause reason: String?) {
        if let reason {
            self.init(error, on: path, unreachable: .dropped, because: reason)
        } else {
            self.init(error, on: path)
        }
    }

    private init(
        _ error: any Error,
        on path: Path,
        unreachable disposition: HandleOutcome.Disposition,
        because reason: String
    ) {
        let entries = Stage.allCases.flatMap { stage in
            path.rules(RuleSet.Stage(stage)).map { scope, rule in
                Entry(
                    stage: stage,
                    rule: rule.registration.description,
                    verdict: .notReached(because: reason),
                    scope: scope
                )
            }
        }
        self.init(error: ErrorBox.unboxed(error), entries: entries, disposition: disposition)
    }

    /// Asks the rules of a path, and lets none of them act.
    ///
    /// A rule or an error that asks for an explanation itself is asked no more where that has no end.
    init(_ error: any Error, on path: Path) {
        let explanation = ErrorText.ask(isCounted: false) { Explanation(asking: error, path) }
        self =
            explanation
            ?? Explanation(error, on: path, unreachable: .pending, because: "it is explained within itself")
    }

    private init(asking error: any Error, _ path: Path) {
        var subject = ErrorSubject(error)
        self.error = subject.error
        var entries: [Entry] = []
        var firstMatch: Int?
        var stop: Int?
        var disposition = HandleOutcome.Disposition.unmatched
        for (scope, rule) in path.rules(.rules) {
            let verdict: Verdict
            if let stop {
                verdict = .notReached(because: "rule \(stop) \(path.endsAtMatch ? "decides" : "ignores the error")")
            } else if rule.matches(&subject) {
                verdict = firstMatch == nil ? .matched : .matchedIfReached
                if firstMatch == nil { disposition = rule.alwaysStops ? .ignored : .handled }
                firstMatch = firstMatch ?? entries.count + 1
                if rule.alwaysStops || path.endsAtMatch { stop = entries.count + 1 }
            } else {
                verdict = .notMatched
            }
            entries.append(Entry(stage: .rule, rule: rule.registration.description, verdict: verdict, scope: scope))
        }
        for (place, (scope, rule)) in path.rules(.onNoMatch).enumerated() {
            var verdict = place == 0 ? Verdict.matched : .matchedIfReached
            if let firstMatch {
                verdict = .notReached(
                    because: "rule \(firstMatch) \(firstMatch == stop ? "ignores the error" : "matched")")
            }
            entries.append(
                Entry(stage: .onNoMatch, rule: rule.registration.description, verdict: verdict, scope: scope))
        }
        for (place, (scope, rule)) in path.rules(.always).enumerated() {
            let verdict = place == 0 ? Verdict.matched : .matchedIfReached
            entries.append(Entry(stage: .always, rule: rule.registration.description, verdict: verdict, scope: scope))
        }
        self.entries = entries
        self.disposition = disposition
    }
}

extension RuleSet.Stage {
    fileprivate init(_ stage: Explanation.Stage) {
        self =
            switch stage {
            case .rule: .rules
            case .onNoMatch: .onNoMatch
            case .always: .always
            }
    }
}
