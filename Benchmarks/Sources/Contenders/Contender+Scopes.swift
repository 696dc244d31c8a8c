import ErrorRouting

extension Contender {
    /// The numbers of rules that the scopes' bus has.
    package static let rulesAroundScopes = [1, 1_000]

    /// The contenders that create a scope for each request and deallocate it unused.
    package static var scopes: [Contender] {
        rulesAroundScopes.flatMap { count in
            [
                contender("making a scope without rules", count, ErrorHandler()),
                // Create the handler once, so that building rules isn't measured.
                contender("making a scope with one rule", count, Handlers.stranger()),
            ]
        } + [
            Contender("withErrorScope", rules: 1, iterations: iterations) { times in await bindScopes(times) },
            Contender("withErrorScope on the main actor", rules: 1, iterations: iterations) { @MainActor times in
                await bindScopes(times)
            },
            taskLocal,
            Contender("making the same path by hand", rules: 1, iterations: iterations) {
                [service = Location("service", in: [])] times in
                for _ in 0..<times { consume(Location("request", in: service.path)) }
            },
        ]
    }

    /// The number of runs, which is low so that a round takes less than a millisecond and is rarely preempted.
    private static let iterations = 2_000

    /// Creates scopes for bodies that do nothing, on the caller's actor.
    private static func bindScopes(_ times: Int) async {
        await service.bound {
            for _ in 0..<times { await withErrorScope("request") { scope in consume(scope) } }
        }
    }

    private static let service = ErrorBus(handler: Handlers.types(1)).scope("service")

    private static func contender(_ name: String, _ rules: Int, _ handler: ErrorHandler) -> Contender {
        let service = ErrorBus(handler: Handlers.types(rules)).scope("service")
        return Contender(name, rules: rules, iterations: iterations) { times in
            for _ in 0..<times { consume(service.scope("request", handler: handler)) }
        }
    }

    /// A replacement for scopes that a user might write, to find out where an error was posted.
    private final class Location: Sendable {
        let path: [String]

        init(_ name: String, in outer: [String]) { path = outer + [name] }
    }
}

extension Contender {
    @TaskLocal private static var word: Int?

    /// The contender that binds a task-local value for a body that does as little as the scope's body.
    static let taskLocal = Contender("TaskLocal.withValue", rules: 1, iterations: 2_000) { times in
        for number in 0..<times { await $word.withValue(number) { () async in consume(number) } }
    }
}
