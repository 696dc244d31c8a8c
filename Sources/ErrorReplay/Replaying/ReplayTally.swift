/// The counts of a replay, with a row for each result.
///
/// Its size is bounded: beyond the limit, all further names of an outcome share one row.
struct ReplayTally: Sendable {
    /// The result of a report.
    enum Outcome: Hashable, Sendable {
        /// The report was recorded without being delivered.
        case undelivered
        /// The error couldn't be rebuilt, and a rule needs more than the error's names.
        case notRebuilt(Replay.NotJudged)
        /// The result is unchanged; the payload is the result, formatted as in a difference.
        case same(String)
        case different(Replay.Difference)
    }

    struct Row: Sendable {
        let outcome: Outcome
        var count = Replay.Count()
        var example: Replay.Example?
    }

    /// The name that replaces names beyond the limit.
    static let others = "…"
    /// The maximum size of all names in bytes.
    private static let limit = 4 << 20

    private(set) var rows: [Row] = []
    private var indices: [Outcome: Int] = [:]
    private var size = 0

    /// Returns the row of an outcome, and creates the row if necessary.
    mutating func row(of outcome: Outcome) -> Int {
        if let index = indices[outcome] { return index }
        if size > Self.limit, outcome != outcome.withoutNames { return row(of: outcome.withoutNames) }
        size += outcome.size
        indices[outcome] = rows.count
        rows.append(Row(outcome: outcome))
        return rows.count - 1
    }

    func hasExample(_ row: Int) -> Bool { rows[row].example != nil }

    /// Counts a report in its row.
    ///
    /// If the row doesn't have an example yet, this report becomes its example.
    mutating func count(_ row: Int, occurrences: Int, _ example: Replay.Example?) {
        add(Replay.Count(reports: 1, occurrences: occurrences), example, to: row)
    }

    /// Adds the counts of another tally.
    ///
    /// If both contain an example of an outcome, this tally's example is kept.
    mutating func merge(_ other: ReplayTally) {
        for added in other.rows { add(added.count, added.example, to: row(of: added.outcome)) }
    }

    private mutating func add(_ count: Replay.Count, _ example: Replay.Example?, to row: Int) {
        rows[row].count.add(count)
        if let example, !hasExample(row) { rows[row].example = example }
    }
}

extension ReplayTally.Outcome {
    /// The approximate size of a row in bytes.
    fileprivate var size: Int {
        let names: [String] =
            switch self {
            case .undelivered: []
            case .notRebuilt(let notJudged): [notJudged.type, notJudged.rule]
            case .same(let rule): [rule]
            case .different(let difference): [difference.type, difference.before, difference.after]
            }
        return names.reduce(256) { $0 + $1.utf8.count }
    }

    fileprivate var withoutNames: Self {
        let others = ReplayTally.others
        return switch self {
        case .undelivered: .undelivered
        case .notRebuilt: .notRebuilt(Replay.NotJudged(type: others, rule: others))
        case .same: .same(others)
        case .different: .different(Replay.Difference(type: others, before: others, after: others))
        }
    }
}
