import ErrorRecovery
import ErrorRouting

extension Contender {
    /// What it takes to be ready for an error that does not come.
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
