import ErrorRouting

/// A table of the rules of a bus and of its scopes in the order in which they are tried, with how often each matched: a
/// column for each scope that errors were posted in.
struct RuleTable: CustomStringConvertible {
    struct Row {
        /// How often the rule matched in each column; nil if it does not apply to errors of that scope.
        let matched: [Int?]
        let rule: String
        /// The scope that has the rule.
        let scope: String
        let source: String
    }

    /// The names of the scopes that errors were posted in.
    let columns: [String]
    let rows: [Row]

    /// - Parameters:
    ///   - handler: The bus's rules.
    ///   - scopes: The scopes below the bus, whose rules are tried first.
    ///   - tally: How often each rule matched.
    init(_ handler: ErrorHandler, _ scopes: [ErrorScope], _ tally: RuleTally) {
        let paths = scopes.map(\.path) + (tally.delivered([]) > 0 ? [[]] : [])
        // The explanation of any error lists all rules.
        let error = CancellationError()
        let own = scopes.flatMap { scope in scope.explain(error).entries.filter { $0.scope == scope.path } }
        columns = paths.map(Self.name)
        rows = (own + handler.explain(error).entries).map { entry in
            Row(
                matched: paths.map { $0.starts(with: entry.scope) ? tally.count(of: entry, in: $0) : nil },
                rule: entry.rule.matcher,
                scope: Self.name(entry.scope),
                source: entry.rule.source.description
            )
        }
    }

    private static func name(_ path: [String]) -> String { path.isEmpty ? "the bus" : path.joined(separator: "/") }

    /// The table as text: a header line, and a line for each rule.
    var description: String {
        let (rule, scope) = (rows.map(\.rule.count).max() ?? 0, rows.map(\.scope.count).max() ?? 0)
        func line(_ number: String, _ matched: [String], _ texts: (String, String, String)) -> String {
            let counts = zip(matched, columns).map { $0.padded(to: max($1.count, 4), leading: true) }
            let names = [texts.0.padded(to: rule), texts.1.padded(to: scope), texts.2]
            return ([number.padded(to: 4, leading: true)] + counts + names).joined(separator: "  ")
        }
        let head = line("#", columns, ("rule", "of", "registered at"))
        let lines = rows.enumerated().map { index, row in
            line("\(index + 1)", row.matched.map { $0.map(String.init) ?? "-" }, (row.rule, row.scope, row.source))
        }
        return ([head] + lines).joined(separator: "\n")
    }
}

extension String {
    /// Returns the text padded to a width with spaces after it, or before it.
    func padded(to width: Int, leading: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(width - count, 0))
        return leading ? padding + self : self + padding
    }
}

/// Counts how often each rule decided about errors of each scope, by observing the bus.
///
/// A report has only one rule: the rule that returned `.stop`, or else the last one that matched. That is enough here,
/// because every rule of this program returns `.stop`. A rule that returns `.next` would have to count itself.
struct RuleTally: Sendable {
    fileprivate struct Scope {
        var decided: [RuleDescription: Int] = [:]
        var unmatched = 0
        var delivered = 0
    }

    private var scopes: [[String]: Scope] = [:]

    /// Counts reports until the bus is empty and the stream ends.
    init(counting reports: AsyncStream<ErrorReport>) async {
        for await report in reports { scopes[report.scope, default: Scope()].count(report.outcome) }
    }

    /// Returns how many errors of a scope were delivered.
    func delivered(_ path: [String]) -> Int { scopes[path]?.delivered ?? 0 }

    /// Returns how often a rule matched an error of a scope.
    ///
    /// An `onNoMatch` counts unmatched errors, and an `always` counts all errors.
    func count(of entry: Explanation.Entry, in path: [String]) -> Int {
        guard let scope = scopes[path] else { return 0 }
        return switch entry.stage {
        case .onNoMatch: scope.unmatched
        case .always: scope.delivered
        case .rule: scope.decided[entry.rule, default: 0]
        }
    }
}

extension RuleTally.Scope {
    mutating func count(_ outcome: HandleOutcome) {
        delivered += 1
        if let rule = outcome.rule { decided[rule, default: 0] += 1 }
        if outcome.disposition == .unmatched { unmatched += 1 }
    }
}
