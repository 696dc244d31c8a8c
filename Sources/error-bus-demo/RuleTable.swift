import ErrorRouting

/// The rules of a handler and of the scopes below it in the order in which they are tried, with how often each matched:
/// a column for each scope that errors were posted in.
struct RuleTable: CustomStringConvertible {
    struct Row {
        /// How often it matched in each of the columns; nil where it is not on the way of an error.
        let matched: [Int?]
        let rule: String
        /// The scope that the rule is of.
        let scope: String
        let source: String
    }

    /// The scopes that errors were posted in, by name.
    let columns: [String]
    let rows: [Row]

    /// - Parameters:
    ///   - handler: The bus's rules.
    ///   - scopes: The scopes below the bus, whose rules are tried first.
    ///   - tally: How often each rule matched.
    init(_ handler: ErrorHandler, _ scopes: [ErrorScope], _ tally: RuleTally) {
        let paths = scopes.map(\.path) + (tally.delivered([]) > 0 ? [[]] : [])
        // Whoever has rules shows them in the explanation of an error; any error will do.
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

    /// A line for each rule under a head line, in columns.
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
    /// The text with spaces after it, or before it, up to a width.
    func padded(to width: Int, leading: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(width - count, 0))
        return leading ? padding + self : self + padding
    }
}

/// How often each rule decided, and for errors of which scope, counted by an observer of the bus.
///
/// A report names the rule that stopped it, else the last that matched. The two are the same here, because every rule
/// of this program returns `.stop`; a rule that returns `.next` would have to count for itself.
struct RuleTally: Sendable {
    fileprivate struct Scope {
        var decided: [RuleDescription: Int] = [:]
        var unmatched = 0
        var delivered = 0
    }

    private var scopes: [[String]: Scope] = [:]

    /// Counts until the bus has drained, when the stream ends.
    init(counting reports: AsyncStream<ErrorReport>) async {
        for await report in reports { scopes[report.scope, default: Scope()].count(report.outcome) }
    }

    /// How many errors of a scope were delivered.
    func delivered(_ path: [String]) -> Int { scopes[path]?.delivered ?? 0 }

    /// How often a rule matched an error of a scope.
    ///
    /// An `onNoMatch` runs for what nothing matched, an `always` for everything.
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
