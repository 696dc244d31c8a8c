import ErrorRecovery
import ErrorRouting
import Foundation

/// An operation to measure, which can be run any number of times.
package struct Contender: Sendable {
    /// The name, which is also the name of a line in a table or a chart.
    package let name: String
    /// The number of rules.
    package let rules: Int
    /// Runs the operation a number of times.
    package let run: @Sendable (Int) async -> Void
    /// The number of runs in one measurement, which takes a few milliseconds.
    package let iterations: Int

    init(_ name: String, rules: Int, iterations: Int = 20_000, _ run: @escaping @Sendable (Int) async -> Void) {
        self.name = name
        self.rules = rules
        self.iterations = iterations
        self.run = run
    }

    /// The numbers of rules in every series.
    package static let series = [1, 4, 8, 10, 64, 1_000]

    /// The contenders for dispatching errors.
    package static var all: [Contender] { few + many }

    /// The contenders with rules for 4,000 types, which take more instructions to create than all other contenders.
    package static var many: [Contender] {
        [false, true].map { isUsedAfterEach in
            handling(
                isUsedAfterEach ? "match by type, used after each rule" : "match by type, built at once", 4_000,
                Handlers.manyTypes(4_000, isUsedAfterEach: isUsedAfterEach), Handlers.firstOfTypes)
        }
    }

    /// The contenders with up to 1,000 rules.
    package static var few: [Contender] {
        series.flatMap { count in
            [
                handling("match by type", count, Handlers.types(count), Handlers.firstOfTypes),
                handling("miss", count, Handlers.types(count), Unknown()),
                handling("match by value", count, Handlers.values(count), Status.code(0)),
                handling("match by NSError", count, Handlers.codes(count), NSError(domain: "contenders", code: 0)),
                handling("match by superclass", count, Handlers.hierarchy(count), LeafError()),
                map(count),
                linear(count),
            ]
        }
            + [1, 1_000].map { count in
                handling(
                    "match by domain", count, Handlers.domains(count), NSError(domain: "contenders.0", code: 1))
            }
            + [1, 4, 8].map { count in
                handling(
                    "match under an error", count, Handlers.anywhere(count), Wrapper(Handlers.firstOfTypes),
                    iterations: 500
                )
            } + [
                handling("eight types, the fourth", 8, Handlers.plainTypes(), E4()),
                handling("eight types, the eighth", 8, Handlers.plainTypes(), E8()),
                Contender("switch, 4th case", rules: 4) { [error = E4() as any Error] count in
                    for _ in 0..<count { handleBySwitch4(error) }
                },
                Contender("switch, 8th case", rules: 8) { [error = E8() as any Error] count in
                    for _ in 0..<count { handleBySwitch8(error) }
                },
                handling("always alone", 1, Handlers.always(), E1()),
                handling("asynchronous action", 1, Handlers.asynchronous(), E1()),
                tasks(),
                Contender("building 1,000 rules", rules: 1_000, iterations: 1) { count in
                    for _ in 0..<count { consume(Handlers.values(1_000)) }
                },
                Contender("NotificationCenter", rules: 1, iterations: 2_000) {
                    [notifications = Notifications(), error = E1() as any Error] count in
                    for _ in 0..<count { notifications.post(error) }
                },
            ] + once + presets
    }

    static func handling(
        _ name: String, _ rules: Int, _ handler: ErrorHandler, _ error: any Error, iterations: Int = 20_000
    ) -> Contender {
        Contender(name, rules: rules, iterations: iterations) { count in
            for _ in 0..<count { await handler.handle(error) }
        }
    }

    /// Returns the contender with four tasks that use one handler at the same time.
    private static func tasks() -> Contender {
        Contender("four tasks at once", rules: 64) { [handler = Handlers.types(64)] count in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { @concurrent in
                        let error = Handlers.firstOfTypes
                        for _ in 0..<(count / 4) { await handler.handle(error) }
                    }
                }
            }
        }
    }

    private static func map(_ count: Int) -> Contender {
        Contender("error map", rules: count) { [map = Handlers.map(count), error = Handlers.firstOfTypes] times in
            for _ in 0..<times { consume(map[error]) }
        }
    }

    private static func linear(_ count: Int) -> Contender {
        closures("list of closures", .types(count), Handlers.firstOfTypes)
    }
}

extension Contender {
    /// Retries and circuits around an operation that succeeds immediately.
    package static var recovery: [Contender] {
        let plain = RetryPolicy.default
        let limited = RetryPolicy(budget: RetryBudget(), deadline: .seconds(30)).retrying(E1.self)
        let circuit = CircuitBreaker("contenders", counting: .type(E1.self))
        return [
            Contender("the operation alone", rules: 1) { times in
                for _ in 0..<times { consume(await succeed()) }
            },
            Contender("retry", rules: 1) { times in
                for _ in 0..<times { consume(await retry(plain) { _ in await succeed() }) }
            },
            Contender("retry with a budget and a deadline", rules: 1) { times in
                for _ in 0..<times { consume(await retry(limited) { _ in await succeed() }) }
            },
            Contender("closed circuit", rules: 1) { times in
                for _ in 0..<times { consume(try? await circuit.run { await succeed() }) }
            },
            Contender("retry through a closed circuit", rules: 1) { times in
                for _ in 0..<times {
                    consume(try? await retry(limited) { _ in try await circuit.run { await succeed() } })
                }
            },
        ]
    }

    /// An operation that takes no time.
    @inline(never)
    private static func succeed() async -> Int { 7 }
}
