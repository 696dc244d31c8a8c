import BoundedDescriptions

extension ErrorBus {
    /// How often each rule decided, including the rules that never did.
    ///
    /// A rule decides a report if it stopped the search or, if no rule stopped it, if it was the last match. The rules
    /// of the bus's handler come first, in the order in which they are tried, followed by scopes' rules that have
    /// decided a report. A report counts once, regardless of how many errors it represents. Reports that no rule
    /// matched aren't counted here, but in ``Statistics/unmatched``.
    ///
    /// ```swift
    /// for (rule, count) in bus.ruleCounts where count == 0 { print("unused so far: \(rule)") }
    /// ```
    ///
    /// - Complexity: O(number of rules). Each delivery only increments a counter.
    public var ruleCounts: RuleCounts { storage.apply { $0.ruleTally }.counts(with: handler) }
}

/// How often each rule of a bus decided.
public struct RuleCounts: RandomAccessCollection, Sendable, CustomStringConvertible {
    private let rows: [(rule: RuleDescription, count: Int)]
    /// The number of reports that scopes' remaining rules decided: a bus counts at most 1,000 rules separately.
    public let others: Int

    init(_ rows: [(RuleDescription, Int)], others: Int) { (self.rows, self.others) = (rows.map { ($0, $1) }, others) }

    /// The index of the first rule, 0.
    public var startIndex: Int { 0 }
    /// The number of rules.
    public var endIndex: Int { rows.count }

    /// The rule at an index, with the number of reports that it decided.
    public subscript(index: Int) -> (rule: RuleDescription, count: Int) { rows[index] }

    /// A table with a line for each rule: the count, the matcher, and the source location.
    public var description: String {
        let counts = rows.map { "\($0.count)" } + (others > 0 ? ["\(others)"] : [])
        let width = counts.map(\.count).max() ?? 0
        let names = rows.map(\.rule.description) + (others > 0 ? ["rules of further scopes"] : [])
        if names.isEmpty { return "no rules" }
        return zip(counts, names).map { count, name in
            String(repeating: " ", count: width - count.count) + "\(count)  \(name)"
        }.joined(separator: "\n")
    }
}
