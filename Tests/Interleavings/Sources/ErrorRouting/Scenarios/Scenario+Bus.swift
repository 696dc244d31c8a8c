import Exploration

extension Scenario {
    /// Scenarios with the whole bus, which include posts, a worker that sleeps and is woken, and each kind of end.
    static let bus: [Scenario] = [
        posts("close-one-caller-of-two", .none(), capacity: 2, each: [2], end: close),
        posts("abort-one-caller-of-two", .none(), capacity: 2, each: [2], end: abort),
        posts("close-full", .none(staleReads: 0), long: .none(staleReads: 1), capacity: 1, each: [2], end: close),
        posts(
            "abort-full", .preemptions(2, staleReads: 0), long: .none(staleReads: 0), capacity: 1, each: [2], end: abort
        ),
        posts("close-two-callers", .preemptions(2), long: .preemptions(3), capacity: 2, each: [1, 1], end: close),
        posts(
            "abort-two-callers", .preemptions(2, staleReads: 0), long: .preemptions(3), capacity: 2, each: [1, 1],
            end: abort),
        posts(
            "close-two-callers-full", .preemptions(2, staleReads: 0), long: .preemptions(3), capacity: 1, each: [1, 1],
            end: close),
        posts(
            "abort-two-callers-full", .preemptions(2, staleReads: 0), long: .preemptions(2), capacity: 1, each: [1, 1],
            end: abort),
        posts(
            "close-two-callers-of-two", .preemptions(1), long: .preemptions(2), capacity: 2, each: [2, 2], end: close),
        posts("shutdown-two-callers", .preemptions(2, staleReads: 0), long: .preemptions(2), capacity: 2, each: [1, 1])
        {
            $0.bus.finish()
            $0.abort()
        },
        reuse(
            "slots-used-again", .preemptions(2, staleReads: 0), long: .preemptions(2, staleReads: 2), capacity: 1,
            each: [5]),
        reuse(
            "slots-used-again-capacity-2", .preemptions(2, staleReads: 0), long: .preemptions(2), capacity: 2, each: [5]
        ),
        reuse(
            "slots-used-again-two-callers", .preemptions(1, staleReads: 0), long: .preemptions(1), capacity: 1,
            each: [3, 3]),
        roomPassedOn, lastPosts, flush, flushWhileAborting, flood, floodShutdown, statistics,
    ]

    private static let close: @Sendable (ExploredBus) -> Void = { $0.bus.finish() }
    private static let abort: @Sendable (ExploredBus) -> Void = { $0.abort() }

    /// Callers and a worker are running while the bus ends.
    private static func posts(
        _ name: String, _ bound: Bound, long: Bound? = nil, capacity: Int, each: [Int],
        end: @escaping @Sendable (ExploredBus) -> Void
    ) -> Scenario {
        Scenario(of: name, bound, long: long) {
            let bus = ExploredBus(capacity: capacity)
            let callers = each.indices.map { caller in
                { for number in 0..<each[caller] { bus.post(10 * caller + number) } }
            }
            return Execution(of: callers + [{ bus.work() }, { end(bus) }], invariant: bus.checkCounts) {
                bus.check(posted: each.reduce(0, +))
            }
        }
    }

    /// Callers post whenever there is capacity, so that each slot is filled repeatedly.
    private static func reuse(
        _ name: String, _ bound: Bound, long: Bound? = nil, capacity: Int, each: [Int]
    ) -> Scenario {
        Scenario(of: name, bound, long: long) {
            let bus = ExploredBus(capacity: capacity)
            var left = each.count
            let callers = each.indices.map { caller in
                {
                    for number in 0..<each[caller] {
                        wait { bus.bus.storage.intake.accepted - bus.bus.storage.intake.released < capacity }
                        bus.post(10 * caller + number)
                    }
                    left -= 1
                    if left == 0 { bus.bus.finish() }
                }
            }
            return Execution(of: callers + [{ bus.work() }]) {
                bus.check(posted: each.reduce(0, +))
            }
        }
    }

    /// A caller finds out from another caller that there is capacity, and fills the slot that the worker has emptied.
    ///
    /// Stale reads are excluded: a post that reads an old capacity is dropped, and other threads would wait for it
    /// forever.
    private static let roomPassedOn = Scenario(
        of: "room-passed-on", .preemptions(3, staleReads: 0), long: .preemptions(4, staleReads: 0)
    ) {
        let bus = ExploredBus(capacity: 2)
        for number in 0..<2 { bus.post(number) }
        // The first four posts fill the ring's four slots for the first time.
        func waitForRoom(after count: Int64, released: Int64) {
            wait { bus.bus.storage.intake.accepted >= count && bus.bus.storage.intake.released >= released }
        }
        let callers = [
            {
                waitForRoom(after: 2, released: 2)
                for number in 2..<4 { bus.post(number) }
                waitForRoom(after: 4, released: 3)
                bus.post(4)
            },
            {
                waitForRoom(after: 4, released: 3)
                bus.post(5)
            },
        ]
        return Execution(of: callers + [{ bus.work(until: 3) }]) {
            expect(
                Ledger.now.pending.count + Ledger.now.drops + Int(bus.bus.storage.intake.drops.unreported) == 6, "lost")
        }
    }

    /// After its tasks have ended, a bus accepts about as many posts as its capacity, even if a worker frees slots.
    private static let lastPosts = Scenario(of: "last-posts", .preemptions(2, staleReads: 0), long: .preemptions(2)) {
        let bus = ExploredBus(capacity: 1)
        let last = {
            bus.bus.storage.apply { $0.tasksEnded() }
            for number in 0..<3 {
                wait { bus.bus.storage.intake.accepted == bus.bus.storage.intake.released }
                bus.post(number)
            }
            bus.bus.finish()
        }
        return Execution(of: [last, { bus.post(10) }, { bus.work() }]) {
            let accepted = Ledger.now.pending.filter { $0 != 10 }
            expect(accepted.count <= 2, "\(accepted) were accepted")
            bus.check(posted: 4)
        }
    }

    /// A flush waits only for earlier posts.
    private static let flush = Scenario(of: "flush", .preemptions(2, staleReads: 0), long: .preemptions(3)) {
        let bus = ExploredBus(capacity: 2)
        let flusher = {
            bus.post(0)
            let promise = bus.bus.flushPromise()
            wait { promise.valueIfFulfilled != nil }
            expect(promise.valueIfFulfilled == true && Ledger.now.handled.contains(0), "the flush is over too early")
            bus.bus.finish()
        }
        return Execution(of: [flusher, { bus.post(1) }, { bus.work() }]) {
            bus.check(posted: 2)
        }
    }

    /// A flush that a shutdown interrupts returns false.
    private static let flushWhileAborting = Scenario(of: "flush-abort", .preemptions(2), long: .preemptions(3)) {
        let bus = ExploredBus(capacity: 2)
        let flusher = {
            bus.post(0)
            let promise = bus.bus.flushPromise()
            wait { promise.valueIfFulfilled != nil }
            if promise.valueIfFulfilled == false { return }
            let (ledger, ends) = (Ledger.now, bus.bus.storage.hasEnded)
            expect(ends || ledger.handled.contains(0), "the flush is over too early")
        }
        return Execution(of: [flusher, { bus.work() }, { bus.abort() }]) {
            bus.check(posted: 1)
        }
    }

    /// A flood limit holds back one error and suppresses another.
    private static let flood = Scenario(of: "flood-limit", .preemptions(2), long: .preemptions(3)) {
        let bus = ExploredBus(capacity: 4, floodLimit: FloodLimit(first: 1, per: .seconds(100_000_000)))
        bus.letNoTimerStart()
        let caller = { for number in 0..<3 { bus.post(number) } }
        return Execution(of: [caller, { bus.work() }, { bus.bus.finish() }]) {
            let (ledger, counts) = (Ledger.now, bus.bus.statistics)
            expect(ledger.occurrences == ledger.pending.count, "reports stand for \(ledger.occurrences): \(counts)")
            expect(ledger.handled.count + counts.suppressed == ledger.pending.count, "\(counts)")
            expect(ledger.pending.count + ledger.written.count == 3, "\(counts)")
            bus.checkEnd()
        }
    }

    /// A shutdown removes reports while a flood limit is deciding whether to deliver them.
    private static let floodShutdown = Scenario(
        of: "flood-limit-abort", .preemptions(2, staleReads: 0), long: .preemptions(2)
    ) {
        let bus = ExploredBus(capacity: 4, floodLimit: FloodLimit(first: 1, per: .seconds(100_000_000)))
        bus.letNoTimerStart()
        let caller = { for number in 0..<2 { bus.post(number) } }
        return Execution(of: [caller, { bus.work() }, { bus.abort() }]) { bus.check(posted: 2) }
    }

    /// The counts that a thread reads balance while other threads are running.
    private static let statistics = Scenario(of: "statistics", .preemptions(2, staleReads: 0), long: .preemptions(2)) {
        let bus = ExploredBus(capacity: 1)
        let reader = {
            let (first, second) = (bus.bus.statistics, bus.bus.statistics)
            for counts in [first, second] {
                expect(counts.isBalanced && counts.pending >= 0, "the counts do not balance: \(counts)")
            }
            expect(first.posted <= second.posted && first.dropped <= second.dropped, "\(first), then \(second)")
        }
        let caller = {
            for number in 0..<2 { bus.post(number) }
            bus.bus.finish()
        }
        return Execution(of: [caller, { bus.work() }, reader]) {
            bus.check(posted: 2)
        }
    }
}
