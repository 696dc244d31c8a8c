import ErrorRouting
import TestSupport
import Testing

@testable import ErrorRecovery

@Suite("R4: a budget bounds the attempts of all callers that share it", .tags(.recovery4), .hangLimit)
struct RetryBudgetTests {}

extension RetryBudgetTests {
    @Test("ten deposits at ratio 0.1 add one token, and ratios such as 1/3 are rounded down")
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
            // Allow for rounding errors of doubles.
            #expect(budget.statistics.available <= 3 * ratio + 1e-15)
            #expect(budget.statistics.available >= 3 * ratio - 4e-9)
        }
    }

    @Test("a cost is withdrawn whole or not at all, the largest cost doesn't overflow, and no reserve means no retry")
    func costs() {
        let budget = RetryBudget(ratio: 0, reserve: 10)
        expect([11, .max, 7, 4, 3].map { budget.withdraw($0) }, equals: [false, false, true, false, true])
        budget.refund(3)
        expect(budget.statistics, equals: .init(available: 3, granted: 1, refused: 3))
        expect("\(budget.statistics)", equals: "3.0 tokens available, 1 granted, 3 refused")
        let none = RetryBudget(ratio: 1, reserve: 0)
        for _ in 0..<10 { none.deposit() }
        #expect(!none.withdraw(1))
        let most = RetryBudget(ratio: 1, reserve: 1_000_000_000)
        most.deposit()
        #expect(most.withdraw(1_000_000_000))
        most.deposit()
        expect(most.statistics.available, equals: 1)
        most.refund(1_000_000_000)
        expect(most.statistics.available, equals: 1_000_000_000)
    }

    @Test("concurrent callers never exceed the bound, and no token is lost")
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
        // Every call also withdraws, so the bucket is full only at the start. Only then are deposits lost.
        #expect(count >= calls / 4)
        let statistics = budget.statistics
        expect([statistics.granted, statistics.refused], equals: [count, calls - count])
        #expect(statistics.available < 1)
    }

    @Test("the budget follows a sequential model of the bucket, operation by operation")
    func model() {
        var generator = SplitMix64(seed: 6)
        for _ in 0..<50 {
            // Use ratios that are exact in binary and in billionths, so that the model can use doubles.
            let ratio = Double(Int.random(in: 0...8, using: &generator)) / 8
            let reserve = Int.random(in: 0...12, using: &generator)
            let budget = RetryBudget(ratio: ratio, reserve: reserve)
            var held = Double(reserve)
            var (granted, refused) = (0, 0)
            for _ in 0..<400 {
                if Bool.random(using: &generator) {
                    budget.deposit()
                    held = min(held + ratio, Double(reserve))
                } else {
                    let cost = Int.random(in: 1...3, using: &generator)
                    let isThere = held >= Double(cost)
                    expect(budget.withdraw(cost), equals: isThere)
                    if isThere { (held, granted) = (held - Double(cost), granted + 1) } else { refused += 1 }
                }
                expect(budget.statistics, equals: .init(available: held, granted: granted, refused: refused))
            }
        }
    }
}

extension RetryBudget {
    /// Begins an outermost call.
    fileprivate func deposit() { #expect(begin().isOutermost) }
}
