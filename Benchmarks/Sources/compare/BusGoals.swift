import Contenders

/// The bounds on the cost of scopes: posting through them, making them, and a bus with many rules around them.
enum ScopeGoals {
    /// Making a scope for each request, and posting in it.
    static var subjects: [Subject] {
        Contender.scopes.map(Subject.init) + PostingContender.requests.map(Subject.init)
    }

    static let goals =
        [1, 4].map { posters in
            Goal(
                text: "two nested scopes over the bus, \(posters == 1 ? "1 poster" : "\(posters) posters")",
                first: ("ErrorBus, two nested scopes", posters), second: ("ErrorBus", posters), bound: 1.3,
                shortBound: 2.5, isFloor: false)
        }
        + ["a scope for each", "a scope with one rule for each"].map { name in
            // The ratio would be in the hundreds if each scope compiled the bus's rules.
            Goal(
                text: "\(name): below 1,000 rules over 8", first: ("\(name), below 1,000 rules", 1), second: (name, 1),
                bound: 1.5, shortBound: 4, isFloor: false)
        } + [
            // The ratio would be about a hundred if the function left the actor, and returned to it for the body.
            Goal(
                text: "withErrorScope, empty, over TaskLocal.withValue", first: bodies[0],
                second: ("TaskLocal.withValue", 1), bound: 5, wish: 3.5, isFloor: false),
            Goal(
                text: "a scope with one rule, from its making to handled, over one without",
                first: ("a scope with one rule for each", 1), second: ("a scope for each", 1), bound: 1.3, wish: 1,
                isFloor: false),
            Goal(
                text: "withErrorScope, on the main actor over elsewhere", first: bodies[1], second: bodies[0], bound: 2,
                shortBound: 10, isFloor: false),
        ]

    private static let bodies = [("withErrorScope", 1), ("withErrorScope on the main actor", 1)]

    /// Returns tables with a figure and its quartiles for each number of rules of the bus.
    static func tables(_ measurement: Measurement) -> [String] {
        let names = ["making a scope without rules", "making a scope with one rule", "making the same path by hand"]
        let requests = PostingContender.requests.map { ($0.name, $0.posters) }
        return Table.series(names, over: "rules of the bus around", Contender.rulesAroundScopes, in: measurement)
            + [""] + Table.list("a scope for a body that does nothing", bodies, in: measurement)
            + [""] + Table.list("one error, from its scope's making to handled", requests, in: measurement)
    }

    /// Returns the bounds in nanoseconds and not as a ratio: making a scope has to be cheap beside any request.
    static func limits(_ measurement: Measurement) -> [String] {
        ["making a scope without rules", "making a scope with one rule"].compactMap { name in
            measurement.cost(name, 1).map { cost in
                Table.goal("\(name), in nanoseconds", cost, bound: "< 1,000", isMet: cost.median < 1_000)
            }
        }
    }
}

/// The bounds on the cost of observers, and of a flood limit that suppresses nothing.
enum CompanyGoals {
    static var subjects: [Subject] { PostingContender.company.map(Subject.init) }

    static let goals = [1, 4].flatMap { posters in
        // No goal for a reader: it has its own cost, which the bus does not determine.
        [("one observer", 1.3), ("one stream of reports, unread", 2), ("a flood limit", 1.5)].map { company, bound in
            Goal(
                text: "ErrorBus, \(company) over none, \(posters == 1 ? "1 poster" : "\(posters) posters")",
                first: ("ErrorBus, \(company)", posters), second: ("ErrorBus", posters), bound: bound, isFloor: false)
        }
    }

    static func table(_ measurement: Measurement) -> [String] {
        let figures = PostingContender.company.filter { $0.posters == 1 }.map { ($0.name, 1) }
        return Table.list("one error of many, by one poster", figures, in: measurement)
    }
}
