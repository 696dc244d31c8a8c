extension Replay {
    /// The number of reports whose result is the recorded result.
    public var unchanged: Int { unchangedCount.reports }

    /// The reports whose result is the recorded result, and the errors that they represent.
    var unchangedCount: Count { sum { if case .same = $0 { true } else { false } } }

    /// The number of reports with a different result, by the recorded and new result.
    public var differences: [Difference: Int] { changes.mapValues(\.count.reports) }

    /// The reports with a different result, by the recorded and new result, each with an example.
    ///
    /// If the names take more than a few MiB together, which happens only with a contrived file, one difference named
    /// `…` counts the remaining reports.
    var changes: [Difference: (count: Count, example: Example?)] {
        var changes: [Difference: (count: Count, example: Example?)] = [:]
        for row in tally.rows {
            if case .different(let difference) = row.outcome { changes[difference] = (row.count, row.example) }
        }
        return changes
    }

    /// The number of reports that weren't judged because their errors couldn't be rebuilt, by the full names of the
    /// errors' types.
    ///
    /// Errors that couldn't be rebuilt but were judged by their names aren't included.
    public var notRebuilt: [String: Int] {
        notJudged.reduce(into: [:]) { counts, entry in counts[entry.key.type, default: 0] += entry.value }
    }

    /// The reports counted in `notRebuilt`, each with the rule that needs more than the error's names.
    var notJudged: [NotJudged: Int] {
        var counts: [NotJudged: Int] = [:]
        for row in tally.rows { if case .notRebuilt(let key) = row.outcome { counts[key] = row.count.reports } }
        return counts
    }

    /// The number of reports that were recorded without being delivered, so that no rule was evaluated.
    public var undelivered: Int { sum { $0 == .undelivered }.reports }

    /// The number of lines that are records, including records that the command's options exclude.
    var readable: Int { sum { _ in true }.reports + leftOut }

    /// The number of compared reports for each rule, before and after the change.
    ///
    /// The names are those of a `Difference`, but without the line, because a rule might have moved within its file:
    /// `handled by type(PaymentError) at Intake/Rules.swift`.
    var rulesBeforeAndAfter: [String: (before: Count, after: Count)] {
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

    /// The result of the replay: whether there are differences, and whether everything was read.
    public var verdict: Verdict {
        if isInterrupted { return .interrupted }
        if hasUnreadableInput { return .unreadableInput }
        if !differences.isEmpty { return .different }
        return unchanged == 0 ? .nothingCompared : .same
    }

    private func sum(_ isIncluded: (ReplayTally.Outcome) -> Bool) -> Count {
        tally.rows.reduce(into: Count()) { if isIncluded($1.outcome) { $0.add($1.count) } }
    }

    /// Returns a result's name without the line of its rule.
    ///
    /// A disposition without a rule doesn't contain a line and is returned unchanged.
    private static func withoutLine(_ rule: String) -> String {
        guard let colon = rule.lastIndex(of: ":"), rule.contains(" at "),
            rule[colon...].dropFirst().allSatisfy(\.isNumber)
        else { return rule }
        return String(rule[..<colon])
    }
}
