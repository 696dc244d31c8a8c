import Synchronization

/// The central place for errors: takes posts from anywhere, and delivers them in order to one handler.
///
/// The root component of a program owns the bus and its loop; everyone else posts:
///
/// ```swift
/// let bus = ErrorBus(handler: .default)
/// bus.becomeRoot()
/// await bus.run()          // returns after finish(), when everything is delivered
/// ```
///
/// or, where the program has a body to run beside it, ``withErrorBus(handler:configuration:_:)``.
///
/// Posting never suspends, throws or waits for an action, and works on any thread. Delivery is serial: one report at a
/// time, each to its end, in a task of the bus's own. Memory is bounded, and nothing is lost without being counted:
/// see ``Statistics``.
public final class ErrorBus: ErrorPosting {
    /// The bus of this task: bound by ``withErrorBus(handler:configuration:_:)``, and inside every action.
    @TaskLocal public static var current: ErrorBus?

    /// The buses in whose actions this task was started, from the outside in.
    @TaskLocal static var delivering: [ObjectIdentifier] = []

    let handler: ErrorHandler
    let clock: BusClock
    let actionTimeLimit: Duration?
    let observers = ObserverRegistry()
    let tasks = TaskRegistry()

    private let machine: Locked<BusStateMachine>
    /// The machine's generation, readable without the lock.
    private let generation = Atomic<UInt64>(0)
    private let staff = Locked(Staff())
    private let ended = Promise<Void>()
    private let wakeUps: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// Sets up a bus; ``run()`` sets it going.
    ///
    /// Errors may be posted before it runs, up to its capacity.
    ///
    /// - Parameters:
    ///   - handler: The rules, `.default` say. There is no default value, so that an application's own `.default` is
    ///     the one that counts.
    ///   - configuration: How much the bus holds, and how long an action may take. A capacity below 1 or a negative
    ///     limit stops the program.
    public init(handler: ErrorHandler, configuration: Configuration = .init()) {
        configuration.validate()
        self.handler = handler
        clock = BusClock(configuration.clock)
        actionTimeLimit = configuration.actionTimeLimit
        machine = Locked(
            BusStateMachine(capacity: configuration.capacity, actionTimeLimit: configuration.actionTimeLimit)
        )
        // One wake-up is as good as many: the worker takes all that it finds.
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        for pending in machine.withLock({ $0.takeBack() }) {
            pending.promise?.fulfill(HandleOutcome(disposition: .dropped))
            StandardError.write(pending.report, because: "the bus was discarded before it was delivered")
        }
        observers.finish()
        waker.finish()
    }

    /// How many errors the bus has taken, and what became of them, at one moment.
    public var statistics: Statistics { machine.withLock { $0.statistics } }

    /// Opens a stream of every report delivered from now on, with its outcome.
    ///
    /// An observer can stop nothing, and a slow one never slows the bus: its own stream loses its oldest reports. The
    /// stream ends when the bus has drained, or when its reader is done with it. One reader per stream; open a stream
    /// for each.
    ///
    /// - Parameter limit: How many reports the stream holds for a reader that is behind. At least 1.
    /// - Returns: The stream.
    public func reports(bufferingNewest limit: Int = 256) -> AsyncStream<ErrorReport> {
        if limit < 1 { fatalError("reports(bufferingNewest:) must be at least 1, not \(limit)") }
        return observers.add(bufferingNewest: limit)
    }

    // MARK: Posting

    /// Posts an error, to be delivered in its turn.
    ///
    /// Never suspends, never throws, never waits for an action.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - source: Where it is posted.
    public func post(_ error: any Error, metadata: [String: String], source: ErrorReport.Source) {
        post(ErrorReport(error: error, source: source, metadata: metadata), promise: nil)
    }

    /// Posts an error and waits until it is delivered.
    ///
    /// Inside one of this bus's own actions it posts and answers `.pending` at once, since delivery is serial; so it
    /// does when the calling task is cancelled while it waits.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - source: Where it is posted.
    /// - Returns: What became of it.
    public func deliver(
        _ error: any Error,
        metadata: [String: String],
        source: ErrorReport.Source
    ) async -> HandleOutcome {
        let report = ErrorReport(error: error, source: source, metadata: metadata)
        guard !isInsideOwnAction else {
            post(report, promise: nil)
            return HandleOutcome(disposition: .pending)
        }
        let promise = Promise<HandleOutcome>()
        post(report, promise: promise)
        return await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            promise.fulfill(HandleOutcome(disposition: .pending))
        }
    }

    var hasEnded: Bool { machine.withLock { $0.hasEnded } }

    /// Whether this task was started in one of this bus's actions.
    var isInsideOwnAction: Bool { ErrorBus.delivering.contains(ObjectIdentifier(self)) }

    private func post(_ report: ErrorReport, promise: Promise<HandleOutcome>?) {
        switch machine.withLock({ $0.post(PendingReport(report: report, promise: promise)) }) {
        case .accepted(let wake):
            if wake { waker.yield() }
        case .overflowed:
            promise?.fulfill(HandleOutcome(disposition: .dropped))
        case .refused:
            StandardError.write(report, because: "the bus has finished")
            promise?.fulfill(HandleOutcome(disposition: .dropped))
        }
    }
}

// MARK: - Running

extension ErrorBus {
    /// Delivers what is posted, until the bus is finished and drained.
    ///
    /// The root component's loop.
    ///
    /// Actions run in a task of the bus's own: neither the caller's actor nor its cancellation reaches them. Cancelling
    /// the caller finishes the bus; this returns once everything posted before is delivered. A bus runs once: calling
    /// this while it runs, or after it has returned, is a programming error.
    public func run() async {
        switch machine.withLock({ $0.run() }) {
        case .start(let generation):
            startWorker(generation)
            await withTaskCancellationHandler {
                await ended.value
            } onCancel: {
                finish()
            }
        case .alreadyEnded:
            break
        case .runsAlready:
            fatalError("ErrorBus.run() was called while the bus runs already")
        case .ranBefore:
            fatalError("ErrorBus.run() was called again after it had returned; a bus runs once")
        }
        machine.withLock { $0.runReturned() }
    }

    /// Ends posting: what is pending is still delivered, then ``run()`` returns.
    ///
    /// An error posted later is counted as dropped, and written to standard error. Finishing twice is the same as once.
    public func finish() {
        switch machine.withLock({ $0.finish() }) {
        case .nothing: break
        case .wake: waker.yield()
        case .end: end()
        }
    }

    /// Finishes the bus, and takes back what it could not deliver in time.
    ///
    /// What is taken back, the report in flight included, counts as dropped; the action in flight is cancelled, and
    /// whatever it still does changes nothing. Cancelling the caller does not shorten the time. Called inside one of
    /// the bus's own actions it does not wait for itself: it answers at once with nothing, the time limit stays in
    /// force, and what is left then is written to standard error.
    ///
    /// - Parameter limit: How long to wait for delivery; zero or less takes everything back at once.
    /// - Returns: The reports that were not delivered, in the order in which they would have been.
    public func shutdown(within limit: Duration) async -> [ErrorReport] {
        finish()
        let deadline = clock.now() + limit
        let timer = Task { () -> [ErrorReport] in
            if limit > .zero {
                // Cancelled: everything was delivered in time.
                do { try await clock.sleep(deadline) } catch { return [] }
            }
            return takeBack()
        }
        guard !isInsideOwnAction else {
            Task {
                await ended.value
                timer.cancel()
                for report in await timer.value {
                    StandardError.write(report, because: "the bus was shut down before it was delivered")
                }
            }
            return []
        }
        await ended.value
        timer.cancel()
        return await timer.value
    }

    private func takeBack() -> [ErrorReport] {
        let (left, worker) = machine.withLock { machine in
            let inFlight = machine.generation
            let left = machine.takeBack()
            generation.store(machine.generation, ordering: .releasing)
            return (left, inFlight)
        }
        cancelWorker(worker)
        end()
        for pending in left { pending.promise?.fulfill(HandleOutcome(disposition: .dropped)) }
        return left.map(\.report)
    }

    /// Everyone who waits for the end hears of it.
    ///
    /// Idempotent: a shutdown may meet the loop's own end.
    private func end() {
        resignRoot()
        observers.finish()
        waker.finish()
        staff.withLock { $0.watchdog }?.cancel()
        ended.fulfill(())
    }
}

// MARK: - Delivering

extension ErrorBus {
    /// The tasks that work for the bus.
    fileprivate struct Staff {
        var worker: (generation: UInt64, task: Task<Void, Never>)?
        var watchdog: Task<Void, Never>?
    }

    private func startWorker(_ generation: UInt64) {
        let task = Task { await DeliveryWorker(bus: self, generation: generation).work() }
        let isLate = staff.withLock { staff in
            // It may have been replaced before it was noted down.
            if let worker = staff.worker, worker.generation > generation { return true }
            staff.worker = (generation, task)
            return false
        }
        if isLate || !isCurrent(generation) { task.cancel() }
    }

    private func cancelWorker(_ generation: UInt64) {
        let task = staff.withLock { staff in
            staff.worker?.generation == generation ? staff.worker?.task : nil
        }
        task?.cancel()
    }

    private func sendWatchdog() {
        let watchdog = Task { await watch() }
        staff.withLock { $0.watchdog = watchdog }
        if hasEnded { watchdog.cancel() }
    }

    func next(for generation: UInt64) -> BusStateMachine.NextAnswer {
        let answer = machine.withLock { $0.next(for: generation) }
        if case .end = answer { end() }
        return answer
    }

    func complete(_ outcome: HandleOutcome, for generation: UInt64) {
        guard
            case .completed(let report, let promise, let unheard) = machine.withLock({
                $0.complete(outcome, for: generation)
            })
        else { return }
        observers.send(report)
        promise?.fulfill(outcome)
        for failure in unheard { failure.writeToStandardError() }
    }

    func isCurrent(_ generation: UInt64) -> Bool {
        self.generation.load(ordering: .acquiring) == generation
    }

    /// The next wake-up; comes at once if there was one since the last.
    func wakeUp() async {
        for await _ in wakeUps { return }
    }

    func actionWillBegin(_ rule: Rule, _ progress: DispatchProgress, _ report: ErrorReport, for generation: UInt64) {
        guard actionTimeLimit != nil else { return }
        let now = clock.now()
        let isUnwatched = machine.withLock { $0.actionWillBegin(rule, progress, report, at: now, for: generation) }
        if isUnwatched { sendWatchdog() }
    }

    func actionDidEnd(for generation: UInt64) {
        guard actionTimeLimit != nil else { return }
        machine.withLock { $0.actionDidEnd(for: generation) }
    }

    /// Stays out as long as actions run, and replaces the worker of one that is overdue.
    ///
    /// One at most is out, and it wakes once in a time limit, so actions that keep their limit pay next to nothing for
    /// it.
    @concurrent
    private func watch() async {
        while true {
            let now = clock.now()
            let answer = machine.withLock { machine in
                let answer = machine.watch(at: now)
                generation.store(machine.generation, ordering: .releasing)
                return answer
            }
            switch answer {
            case .goHome:
                return
            case .sleep(let deadline):
                try? await clock.sleep(deadline)
            case .replaceWorker(let generation):
                cancelWorker(generation - 1)
                startWorker(generation)
            }
        }
    }
}
