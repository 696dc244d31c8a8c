import ErrorRouting

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
