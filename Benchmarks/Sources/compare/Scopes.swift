import Contenders

/// The cost of creating scopes and posting through them, also for a bus with many rules.
enum Scopes {
    /// The subjects that create a scope for each request or also post in it.
    static var subjects: [Subject] {
        Contender.scopes.map(Subject.init) + PostingContender.requests.map(Subject.init)
    }

    private static let bodies: [Table.Row] = [
        ("off the main actor", [("withErrorScope", 1)]),
        ("on the main actor", [("withErrorScope on the main actor", 1)]),
    ]

    private static let requests: [Table.Row] = [
        ("without rules", "a scope for each"), ("with a shared one-rule handler", "a scope with one rule for each"),
        ("with a new one-rule handler", "a scope and its rule for each"),
    ].map { name, subject in (name, [(subject, 1), ("\(subject), below 1,000 rules", 1)]) }

    /// Returns the tables of these costs.
    static func tables(_ measurement: Measurement) -> [String] {
        let creating = [
            ("without rules", "making a scope without rules"), ("with one rule", "making a scope with one rule"),
            ("by hand: an object with an array of names", "making the same path by hand"),
        ]
        return Table.series(
            "create a scope (ns), by the number of rules on its bus", Contender.rulesAroundScopes, creating,
            in: measurement)
            + [""] + Table.costs("`withErrorScope` with an empty body", ["ns"], bodies, in: measurement)
            + [""]
            + Table.costs(
                "create a scope, post one error in it, and handle it (ns)",
                ["8 rules on its bus", "1,000 rules"], requests, in: measurement)
    }
}
