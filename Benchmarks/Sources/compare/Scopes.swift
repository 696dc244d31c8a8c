import Contenders

/// The cost of creating scopes and posting through them, also for a bus with many rules.
enum Scopes {
    /// The subjects that create a scope for each request or also post in it.
    static var subjects: [Subject] {
        Contender.scopes.map(Subject.init) + PostingContender.requests.map(Subject.init)
    }

    private static let bodies = [("withErrorScope", 1), ("withErrorScope on the main actor", 1)]

    /// Returns the tables of these costs.
    static func tables(_ measurement: Measurement) -> [String] {
        let names = ["making a scope without rules", "making a scope with one rule", "making the same path by hand"]
        let requests = PostingContender.requests.map { ($0.name, $0.callers) }
        return Table.series(names, over: "rules on the scope's bus", Contender.rulesAroundScopes, in: measurement)
            + [""] + Table.list("a scope for an empty body", bodies, in: measurement)
            + [""] + Table.list("creating a scope and handling its error", requests, in: measurement)
    }
}
