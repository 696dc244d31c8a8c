extension Replay {
    /// The number of reports of which the same would become.
    public var unchanged: Int { unchangedCount.reports }

    /// The reports of which the same would become, and the errors that they stand for.
    public var unchangedCount: Count { sum { if case .same = $0 { true } else { false } } }

    /// The number of reports of which something else would become, by what was and what would be.
    public var differences: [Difference: Int] { changes.mapValues(\.count.reports) }

    /// The reports of which something else would become, by what was and what would be, each with an example.
    ///
    /// Names that take more than some MiB together, as only a made-up file has them, are one difference, named `…`.
    public var changes: [Difference: (count: Count, example: Example?)] {
        var changes: [Difference: (count: Count, example: Example?)] = [:]
        for row in tally.rows {
            if case .different(let difference) = row.outcome { changes[difference] = (row.count, row.example) }
        }
        return changes
    }

    /// The number of reports that were not judged because their errors could not be rebuilt, by the full names of the
    /// errors' types.
    ///
    /// Errors that could not be rebuilt, but are judged by their names, are not among them.
    public var notRebuilt: [String: Int] {
        notJudged.reduce(into: [:]) { counts, entry in counts[entry.key.type, default: 0] += entry.value }
    }

    /// The reports of ``notRebuilt``, each with the rule that asks for more than the error's names.
    public var notJudged: [NotJudged: Int] {
        var counts: [NotJudged: Int] = [:]
        for row in tally.rows { if case .notRebuilt(let asking) = row.outcome { counts[asking] = row.count.reports } }
        return counts
    }

    /// The number of reports that were recorded undelivered, so that no rules had been asked.
    public var undelivered: Int { sum { $0 == .undelivered }.reports }

    /// How many of the compared reports each rule had before, and how many it would have.
    ///
    /// The names are those of a ``Difference`` without the line, because a rule may have moved within its file:
    /// `handled by type(PaymentError) at Intake/Rules.swift`.
    public var rulesBeforeAndAfter: [String: (before: Count, after: Count)] {
        var rules: [String: (before: Count, after: Count)] = [:]
        func add(_ count: Count, before: String, after: String) {
            let (before, after) = (Self.withoutLine(before), Self.withoutLine(after))
            rules[before, default: (Count(), Count())].before.add(count)
            rules[after, default: (Count(), Count())].after.add(count)
        }
        for row in tally.rows {
            switch row.outcome {
            case .same(let rule): add(row.count, before: rule, after: rule)
            case .different(let difference): add(row.count, before: difference.before, after: difference.after)
            case .undelivered, .notRebuilt: break
            }
        }
        return rules
    }

    /// What the reports come to: whether there is a difference, and whether everything was read.
    public var verdict: Verdict {
        if isInterrupted { return .interrupted }
        if hasUnreadableInput { return .unreadableInput }
        if !differences.isEmpty { return .different }
        return unchanged == 0 ? .nothingCompared : .same
    }

    private func sum(_ isIncluded: (ReplayTally.Outcome) -> Bool) -> Count {
        tally.rows.reduce(into: Count()) { if isIncluded($1.outcome) { $0.add($1.count) } }
    }

    /// Returns a rule's name without its line; a disposition without a rule has none.
    private static func withoutLine(_ rule: String) -> String {
        guard let colon = rule.lastIndex(of: ":"), rule.contains(" at "),
            rule[colon...].dropFirst().allSatisfy(\.isNumber)
        else { return rule }
        return String(rule[..<colon])
    }
}
