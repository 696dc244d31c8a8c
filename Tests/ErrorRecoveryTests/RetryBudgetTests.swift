import ErrorRouting
import TestSupport
import Testing

@testable import ErrorRecovery

@Suite("R4: a budget bounds the attempts of everybody who shares it", .tags(.recovery4), .hangLimit)
struct RetryBudgetTests {}

extension RetryBudgetTests {
    @Test("it starts with the reserve, holds no more, and refuses what is not there")
    func bucket() {
        let budget = RetryBudget(ratio: 0.5, reserve: 2)
        budget.deposit()
        expect(budget.statistics, equals: .init(available: 2, granted: 0, refused: 0))
        #expect(budget.withdraw(1) && budget.withdraw(1) && !budget.withdraw(1))
        budget.deposit()
        #expect(!budget.withdraw(1))
        budget.deposit()
        #expect(budget.withdraw(1) && !budget.withdraw(1))
        expect(budget.statistics, equals: .init(available: 0, granted: 3, refused: 3))
    }

    @Test("ten deposits of a tenth are one token, and a third is rounded down")
    func exactness() {
        let tenths = RetryBudget(ratio: 0.1, reserve: 1)
        #expect(tenths.withdraw(1))
        for _ in 0..<9 { tenths.deposit() }
        #expect(!tenths.withdraw(1))
        tenths.deposit()
        #expect(tenths.withdraw(1))
        for ratio in [1.0 / 3, 2.0 / 3, 1e-9, 0.3, 0.7, 1e-12] {
            let budget = RetryBudget(ratio: ratio, reserve: 100)
            #expect(budget.withdraw(100))
            for _ in 0..<3 { budget.deposit() }
            // Allows for the rounding of doubles.
            #expect(budget.statistics.available <= 3 * ratio + 1e-15)
            #expect(budget.statistics.available >= 3 * ratio - 4e-9)
        }
    }

    @Test("a cost is taken whole or not at all, and one that no bucket holds is refused")
    func costs() {
        let budget = RetryBudget(ratio: 0, reserve: 10)
        #expect(!budget.withdraw(11) && !budget.withdraw(.max))
        #expect(budget.withdraw(7) && !budget.withdraw(4) && budget.withdraw(3))
        budget.giveBack(3)
        expect(budget.statistics, equals: .init(available: 3, granted: 1, refused: 3))
    }

    @Test("a budget without a reserve grants nothing, the largest overflows nothing")
    func extremes() {
        let none = RetryBudget(ratio: 1, reserve: 0)
        for _ in 0..<10 { none.deposit() }
        #expect(!none.withdraw(1))
        let most = RetryBudget(ratio: 1, reserve: 1_000_000_000)
        most.deposit()
        #expect(most.withdraw(1_000_000_000))
        most.deposit()
        expect(most.statistics.available, equals: 1)
        most.giveBack(1_000_000_000)
        expect(most.statistics.available, equals: 1_000_000_000)
    }

    @Test("concurrent callers never get more than the bound, and nothing is lost")
    func concurrentCallers() async {
        let budget = RetryBudget(ratio: 0.25, reserve: 40)
        let (tasks, rounds) = (8, 5_000)
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<tasks {
                group.addTask { @concurrent in
                    var granted = 0
                    for _ in 0..<rounds {
                        budget.deposit()
                        if budget.withdraw(1) { granted += 1 }
                    }
                    return granted
                }
            }
            return await group.reduce(0, +)
        }
        let calls = tasks * rounds
        #expect(count <= calls / 4 + 40)
        // Every call withdraws too, so the bucket is full only at the beginning, and no more than that is lost.
        #expect(count >= calls / 4)
        let statistics = budget.statistics
        #expect(statistics.granted == count && statistics.refused == calls - count)
        #expect(statistics.available < 1)
    }

    @Test("concurrent calls of retry that all fail make no more attempts than the bound allows")
    func concurrentRetries() async {
        let budget = RetryBudget(ratio: 0.1, reserve: 10)
        let policy = RetryPolicy(maxAttempts: 5, backoff: .constant(.zero), budget: budget).retrying(Timeout.self)
        let (tasks, calls) = (8, 250)
        let attempts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<tasks {
                group.addTask { @concurrent in
                    var attempts = 0
                    for _ in 0..<calls {
                        _ = try? await retry(policy, clock: ImmediateClock()) { _ in
                            attempts += 1
                            throw Timeout()
                        }
                    }
                    return attempts
                }
            }
            return await group.reduce(0, +)
        }
        #expect(attempts <= tasks * calls * 11 / 10 + 10)
        expect(attempts, equals: tasks * calls + budget.statistics.granted)
        // What is left would not have been enough for one more.
        #expect(attempts >= tasks * calls * 11 / 10 - 1)
    }

    @Test("the budget follows a sequential model of the bucket, operation by operation")
    func model() {
        var generator = SplitMix64(seed: 6)
        for _ in 0..<50 {
            // Parts that are exact in binary and in billionths, so that the model may use doubles.
            let ratio = Double(Int.random(in: 0...8, using: &generator)) / 8
            let reserve = Int.random(in: 0...12, using: &generator)
            let budget = RetryBudget(ratio: ratio, reserve: reserve)
            var held = Double(reserve)
            for _ in 0..<400 {
                if Bool.random(using: &generator) {
                    budget.deposit()
                    held = min(held + ratio, Double(reserve))
                } else {
                    let cost = Int.random(in: 1...3, using: &generator)
                    let isThere = held >= Double(cost)
                    expect(budget.withdraw(cost), equals: isThere)
                    if isThere { held -= Double(cost) }
                }
                expect(budget.statistics.available, equals: held)
            }
        }
    }
}

extension RetryBudget {
    /// Begins a call that is within no other.
    fileprivate func deposit() { #expect(begin().isOutermost) }
}
