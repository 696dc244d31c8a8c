import ErrorRouting

/// How often each rule decided, counted by an observer of the bus.
///
/// A report names the rule that stopped it, else the last that matched. The two are the same here, because every rule
/// of this program answers `.stop`; a rule that answers `.next` would have to count for itself.
struct RuleTally: Sendable {
    private var decided: [RuleDescription: Int] = [:]
    private(set) var unmatched = 0
    private(set) var delivered = 0

    /// Counts until the bus has drained, when the stream ends.
    init(counting reports: AsyncStream<ErrorReport>) async {
        for await report in reports {
            delivered += 1
            guard let outcome = report.outcome else { continue }
            if let rule = outcome.rule { decided[rule, default: 0] += 1 }
            if outcome.disposition == .unmatched { unmatched += 1 }
        }
    }

    /// How often a rule matched.
    ///
    /// An `onNoMatch` runs for what nothing matched, an `always` for everything.
    func count(of entry: Explanation.Entry) -> Int {
        switch entry.stage {
        case .onNoMatch: unmatched
        case .always: delivered
        case .rule: decided[entry.rule, default: 0]
        }
    }
}

/// The rules of a handler in the order in which they are tried, with how often each matched.
struct RuleTable: CustomStringConvertible {
    struct Row {
        let matched: Int
        let rule: String
        let source: String
    }

    let rows: [Row]

    init(_ handler: ErrorHandler, _ tally: RuleTally) {
        // A handler has its rules to show in the explanation of an error; any error will do.
        rows = handler.explain(CancellationError()).entries.map { entry in
            Row(
                matched: tally.count(of: entry),
                rule: entry.rule.matcher,
                source: entry.rule.source.description
            )
        }
    }

    /// A line for each rule under a head line, in columns.
    var description: String {
        let width = rows.map(\.rule.count).max() ?? 0
        var lines = ["   #  matched  \("rule".padded(to: width))  registered at"]
        for (index, row) in rows.enumerated() {
            let number = "\(index + 1)".padded(to: 4, leading: true)
            let matched = "\(row.matched)".padded(to: 7, leading: true)
            lines.append("\(number)  \(matched)  \(row.rule.padded(to: width))  \(row.source)")
        }
        return lines.joined(separator: "\n")
    }
}

extension String {
    /// The text with spaces after it, or before it, up to a width.
    func padded(to width: Int, leading: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(width - count, 0))
        return leading ? padding + self : self + padding
    }
}
