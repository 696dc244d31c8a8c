import ErrorRouting

extension Contender {
    /// The numbers of rules that the bus around the scopes has.
    package static let rulesAroundScopes = [1, 1_000]

    /// What it takes to make a scope for each request, and to let it go again: without using it.
    package static var scopes: [Contender] {
        rulesAroundScopes.flatMap { count in
            [
                making("making a scope without rules", count, ErrorHandler()),
                // Its handler is made once: what building rules costs is no matter of scopes.
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

    /// They take less than a millisecond, so that most rounds come to their end before the system gives others the
    /// core.
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

    /// What one would write to know where an error was posted, were there no scopes.
    private final class Place: Sendable {
        let path: [String]

        init(_ name: String, in outer: [String]) { path = outer + [name] }
    }
}

extension Contender {
    @TaskLocal private static var word: Int?

    /// What it takes to bind a task-local value at all.
    static let taskLocal = Contender("TaskLocal.withValue", rules: 1, iterations: 2_000) { times in
        for number in 0..<times { await $word.withValue(number) { await nothing(number) } }
    }

    @inline(never)
    private static func nothing(_ number: Int) async { consume(number) }
}
