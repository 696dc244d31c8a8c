import ErrorRouting

extension Contender {
    /// The numbers of rules of the bus to which the scopes belong.
    package static let rulesAroundScopes = [1, 1_000]

    /// Making a scope for each request, and deallocating it, without using it.
    package static var scopes: [Contender] {
        rulesAroundScopes.flatMap { count in
            [
                making("making a scope without rules", count, ErrorHandler()),
                // The handler is made once, so that the cost of building rules is not measured.
                making("making a scope with one rule", count, Handlers.stranger()),
            ]
        } + [
            Contender("withErrorScope", rules: 1, iterations: iterations) { times in await bindScopes(times) },
            Contender("withErrorScope on the main actor", rules: 1, iterations: iterations) { @MainActor times in
                await bindScopes(times)
            },
            taskLocal,
            Contender("making the same path by hand", rules: 1, iterations: iterations) {
                [service = Place("service", in: [])] times in
                for _ in 0..<times { consume(Place("request", in: service.path)) }
            },
        ]
    }

    /// So few that a round takes less than a millisecond, and most rounds are not preempted.
    private static let iterations = 2_000

    /// Makes scopes for bodies that do nothing, on the caller's actor.
    private static func bindScopes(_ times: Int) async {
        await service.bound {
            for _ in 0..<times { await withErrorScope("request") { scope in consume(scope) } }
        }
    }

    private static let service = ErrorBus(handler: Handlers.types(1)).scope("service")

    private static func making(_ name: String, _ rules: Int, _ handler: ErrorHandler) -> Contender {
        let service = ErrorBus(handler: Handlers.types(rules)).scope("service")
        return Contender(name, rules: rules, iterations: iterations) { times in
            for _ in 0..<times { consume(service.scope("request", handler: handler)) }
        }
    }

    /// What a user would write instead of scopes to know where an error was posted.
    private final class Place: Sendable {
        let path: [String]

        init(_ name: String, in outer: [String]) { path = outer + [name] }
    }
}

extension Contender {
    @TaskLocal private static var word: Int?

    /// Binding a task-local value for a body that does as little as the one in which a scope is bound.
    static let taskLocal = Contender("TaskLocal.withValue", rules: 1, iterations: 2_000) { times in
        for number in 0..<times { await $word.withValue(number) { () async in consume(number) } }
    }
}
