import Exploration

/// A bus whose real posting, worker, and shutdown code runs in threads instead of tasks.
struct ExploredBus {
    let bus: ErrorBus

    init(capacity: Int, floodLimit: FloodLimit? = nil) {
        Ledger.now = Ledger()
        var configuration = ErrorBus.Configuration(capacity: capacity, actionTimeLimit: nil, floodLimit: floodLimit)
        configuration.lastResort = Ledger.lastResort
        bus = ErrorBus(handler: Ledger.rules, configuration: configuration)
        // Count this as the first post, so that no explored post is the first.
        _ = bus.unrunWatch.note(Moment())
        _ = bus.storage.apply { $0.run() }
    }

    private static let source = ErrorReport.Source()

    /// Posts an error whose outcome the ledger records.
    func post(_ number: Int) {
        let error = Numbered(number: number)
        let isPending = bus.post(error, as: .failure, metadata: [:], source: Self.source, in: nil)
        if isPending { Ledger.now.pending.append(number) }
    }

    /// Posts an error for a caller that waits for its outcome.
    func deliver(_ number: Int) -> Promise<HandleOutcome> {
        let promise = Promise<HandleOutcome>()
        let error = Numbered(number: number)
        let isPending = bus.post(
            error, as: .failure, metadata: [:], source: Self.source, in: nil, promise: promise)
        if isPending { Ledger.now.pending.append(number) }
        return promise
    }

    /// Posts an error of another type.
    func post(_ error: any Error) { bus.post(error, as: .failure, metadata: [:], source: Self.source) }

    /// Counts an error as dropped, as a post does after it has found the bus full.
    func drop(_ error: any Error) { bus.drop(error, at: Self.source) }

    /// Runs the worker's loop, which sleeps in its thread when no report is pending.
    ///
    /// The loop stops after `count` reports, where a worker in a task would let other tasks run.
    func work(until count: Int = DeliveryWorker.turn) {
        let worker = DeliveryWorker(bus: bus, patience: 0)
        var (action, untilYield) = (bus.storage.apply { $0.next() }, count)
        while let suspension = worker.carryOut(action, &untilYield) {
            guard case .sleep = suspension else {
                return expect(count < DeliveryWorker.turn, "the worker needs a task")
            }
            bus.wakeUps.waitInThread()
            action = bus.storage.apply { $0.next() }
        }
    }

    func abort() { bus.abort { Ledger.now.noteReturned($0) } }

    /// Makes the bus assume that a timer is already set, because a timer would be a task.
    func letNoTimerStart() {
        let alarm = ErrorBus.Alarm(moment: .zero, task: Self.idle)
        bus.internalTasks.withLock { $0.alarm = alarm }
    }
    private static let idle = Task<Void, Never> {}

    /// Checks the invariant that holds between any two steps, which is that the counts balance.
    func checkCounts() {
        guard let counts = bus.storage.applyIfUnlocked({ $0.statistics }) else { return }
        // Don't use `isBalanced`: it returns the same result but creates a list of all counts.
        let ends = counts.handled + counts.ignored + counts.unmatched + counts.suppressed + counts.dropped
        expect(counts.posted == ends + counts.pending && counts.pending >= 0, "the counts do not balance: \(counts)")
    }

    /// Checks the state after the bus has ended, given the number of posted errors.
    func check(posted: Int) {
        let (counts, notices) = (bus.statistics, bus.storage.apply { $0.counts.notices })
        expect(counts.posted == posted + Int(notices), "\(posted) were posted: \(counts)")
        Ledger.now.check(posted: posted)
        checkEnd()
    }

    /// Checks the state that every bus has after its end.
    func checkEnd() {
        let counts = bus.statistics
        expect(bus.storage.hasEnded, "the bus has not ended")
        expect(counts.isBalanced && counts.pending == 0, "\(counts)")
        for number in 0...Int64(bus.storage.intake.capacity) {
            expect(!bus.storage.hasReport(at: number), "slot \(number) is not empty")
        }
    }
}

extension Execution {
    /// Creates an execution whose threads each free their thread-specific objects when they finish.
    init(of threads: [() -> Void], invariant: (() -> Void)? = nil, check: @escaping () -> Void) {
        self.init(
            threads.map { body in
                {
                    body()
                    ThreadSpecific.end()
                }
            }, invariant: invariant, check: check)
    }
}

extension Scenario {
    init(of name: String, _ bound: Bound, long: Bound? = nil, _ arrange: @escaping @Sendable () -> Execution) {
        self.init(name, bound, long: long, isReleased: { Counted.areReleased }, arrange)
    }
}
