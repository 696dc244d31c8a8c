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
