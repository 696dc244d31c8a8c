import Testing

@testable import ErrorRouting

/// The machine alone, as a plain value: no locks, no tasks.
@Suite("The report's life is one state machine (behaviours 13, 14, 16, 18)")
struct BusStateMachineTests {
    private func machine(capacity: Int = 8, limit: Duration? = .seconds(30)) -> BusStateMachine {
        BusStateMachine(capacity: capacity, actionTimeLimit: limit)
    }

    private func pending(_ number: Int) -> PendingReport {
        PendingReport(report: ErrorReport(error: Numbered(number), source: .init()))
    }

    private let handled = HandleOutcome(disposition: .handled, matchedRuleCount: 1)

    @Test("only a post that finds the worker asleep wakes it")
    func wakeUps() {
        var machine = machine()
        guard case .accepted(wake: false) = machine.post(pending(1)) else { return fail("nobody sleeps yet") }
        guard case .start(let generation) = machine.run() else { return fail("it starts") }
        guard case .deliver = machine.next(for: generation) else { return fail("something is pending") }
        guard case .accepted(wake: false) = machine.post(pending(2)) else { return fail("the worker is awake") }
        _ = machine.complete(handled, for: generation)
        guard case .deliver = machine.next(for: generation) else { return fail("the second is pending") }
        _ = machine.complete(handled, for: generation)
        guard case .sleep = machine.next(for: generation) else { return fail("nothing is left") }
        guard case .accepted(wake: true) = machine.post(pending(3)) else { return fail("the worker sleeps") }
        guard case .accepted(wake: false) = machine.post(pending(4)) else { return fail("it was woken already") }
    }

    @Test("finish wakes a sleeping worker, which then ends; finished while it delivers, it drains first")
    func finishing() {
        var machine = machine()
        _ = machine.run()
        guard case .sleep = machine.next(for: 0) else { return fail("nothing is there") }
        guard case .wake = machine.finish() else { return fail("the worker sleeps") }
        guard case .nothing = machine.finish() else { return fail("it is finished already") }
        guard case .refused = machine.post(pending(1)) else { return fail("it takes no more") }
        guard case .end = machine.next(for: 0) else { return fail("it is drained") }
        #expect(machine.hasEnded)
        #expect(machine.statistics.dropped == 1 && machine.statistics.isBalanced)

        var other = self.machine()
        _ = other.post(pending(1))
        _ = other.run()
        guard case .deliver = other.next(for: 0) else { return fail("one is pending") }
        guard case .nothing = other.finish() else { return fail("the worker is awake") }
        #expect(!other.hasEnded)
        _ = other.complete(handled, for: 0)
        guard case .end = other.next(for: 0) else { return fail("it is drained") }
    }

    @Test("after a take-back every answer from before counts for nothing")
    func takingBack() {
        var machine = machine()
        for number in 1...3 { _ = machine.post(pending(number)) }
        _ = machine.run()
        guard case .deliver = machine.next(for: 0) else { return fail("one is pending") }
        let left = machine.takeBack()
        #expect(left.reports.map(\.report.error) as? [Numbered] == [Numbered(1), Numbered(2), Numbered(3)])
        #expect(machine.statistics.dropped == 3 && machine.statistics.isBalanced)
        let before = machine.statistics
        guard case .superseded = machine.complete(handled, for: 0) else { return fail("it was taken back") }
        guard case .superseded = machine.next(for: 0) else { return fail("it was taken back") }
        let nothing = machine.takeBack()
        #expect(nothing.reports.isEmpty)
        #expect(machine.statistics == before)
    }

    @Test("the watchdog is sent out once, sleeps until the deadline, and replaces the worker at it")
    func watching() {
        var machine = machine()
        _ = machine.post(pending(1))
        _ = machine.run()
        guard case .deliver(let report, let progress) = machine.next(for: 0) else { return fail("one is pending") }
        let rule = AsynchronousRule(ErrorMatcher<any Error>.any, at: .init()) { _, _ in .stop }
        let watchdog1 = machine.actionWillBegin(rule, progress, report, at: .seconds(10), for: 0)
        #expect(watchdog1 == .beginWatched)
        guard case .sleep(until: .seconds(40)) = machine.watch(at: .seconds(10)) else { return fail("it is in time") }
        machine.actionDidEnd(for: 0)
        let watchdog2 = machine.actionWillBegin(rule, progress, report, at: .seconds(20), for: 0)
        #expect(watchdog2 == .begin)
        guard case .sleep(until: .seconds(50)) = machine.watch(at: .seconds(40)) else { return fail("it is another") }
        guard case .replaceWorker(generation: 1) = machine.watch(at: .seconds(50)) else { return fail("it is overdue") }
        let watchdog3 = machine.actionWillBegin(rule, progress, report, at: .seconds(50), for: 0)
        #expect(watchdog3 == .superseded)
        guard case .superseded = machine.complete(handled, for: 0) else { return fail("it was replaced") }
        guard case .deliver(_, let resumed) = machine.next(for: 1) else { return fail("the report goes on") }
        #expect(resumed.outcome.failures.map { $0.error is ActionTimeLimitExceeded } == [true])
        guard case .goHome = machine.watch(at: .seconds(51)) else { return fail("no action runs") }
        let watchdog4 = machine.actionWillBegin(rule, resumed, report, at: .seconds(52), for: 1)
        #expect(watchdog4 == .beginWatched)
    }

    @Test("a random walk keeps the law, the order and the capacity, against a naive model")
    func randomWalk() {
        for seed in 0..<200 {
            var random = SplitMix(state: UInt64(seed))
            let capacity = Int.random(in: 1...5, using: &random)
            var machine = machine(capacity: capacity)
            var waiting: [Int] = []
            var dropped = 0
            var delivering: Int?
            var ends = 0
            var posts = 0
            _ = machine.run()
            for step in 0..<200 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    posts += 1
                    if waiting.filter({ $0 >= 0 }).count < capacity {
                        waiting.append(step)
                        guard case .accepted = machine.post(pending(step)) else { return fail("seed \(seed): room") }
                    } else {
                        // A notice stands as -1.
                        if !waiting.contains(-1) { waiting.append(-1); posts += 1 }
                        dropped += 1
                        guard case .overflowed = machine.post(pending(step)) else { return fail("seed \(seed): full") }
                    }
                case 5..<7 where delivering == nil:
                    switch machine.next(for: 0) {
                    case .deliver(let report, _):
                        guard !waiting.isEmpty else { return fail("seed \(seed): delivers from nothing") }
                        delivering = waiting.removeFirst()
                        let number = (report.error as? Numbered)?.number ?? -1
                        #expect(number == delivering, "seed \(seed)")
                    default:
                        #expect(waiting.isEmpty, "seed \(seed)")
                    }
                case 7..<9 where delivering != nil:
                    _ = machine.complete(handled, for: 0)
                    delivering = nil
                    ends += 1
                default:
                    break
                }
                let statistics = machine.statistics
                #expect(statistics.isBalanced, "seed \(seed)")
                #expect(statistics.posted == posts && statistics.dropped == dropped, "seed \(seed)")
                #expect(statistics.handled == ends, "seed \(seed)")
                #expect(statistics.pending == waiting.count + (delivering == nil ? 0 : 1), "seed \(seed)")
            }
        }
    }

    private func fail(_ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record(comment, sourceLocation: sourceLocation)
    }

    /// SplitMix64, Steele, Lea and Flood 2014: a generator that gives the same numbers for the same seed.
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
