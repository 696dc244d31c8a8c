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

    /// The actions in which this task runs, or from which it was started, from the outside in.
    @TaskLocal static var actions: [ActionMark] = []

    /// One action of one bus: the delivery of one report.
    struct ActionMark: Sendable {
        /// A number, since an address may be used again.
        let bus: UInt64
        let sequence: UInt64
    }

    private static let lastNumber = Atomic<UInt64>(0)

    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let handler: ErrorHandler
    let clock: BusClock
    let actionTimeLimit: Duration?
    let hasFloodLimit: Bool
    let observers = ObserverRegistry()
    let tasks = TaskRegistry()

    /// What posters touch, and nobody else but the loop once a batch.
    let intake: BusIntake
    let machine: Locked<BusStateMachine>
    /// The machine's generation, readable without the lock.
    let generation = Atomic<UInt64>(0)
    let staff = Locked(Staff())
    let ended = Promise<Void>()
    let wakeUps: AsyncStream<Void>
    let waker: AsyncStream<Void>.Continuation

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
        hasFloodLimit = configuration.floodLimit != nil
        intake = BusIntake(capacity: configuration.capacity)
        machine = Locked(
            BusStateMachine(
                capacity: configuration.capacity,
                actionTimeLimit: configuration.actionTimeLimit,
                floodLimit: configuration.floodLimit
            )
        )
        // One wake-up is as good as many: the worker takes all that it finds.
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        for pending in takeLeftovers().reports {
            pending.promise?.fulfill(HandleOutcome(disposition: .dropped))
            StandardError.write(pending.report(), because: "the bus was discarded before it was delivered")
        }
        observers.finish()
        waker.finish()
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
        post(error, metadata, source, nil)
    }

    /// Posts an error and waits until it is delivered.
    ///
    /// Inside one of this bus's own actions it posts and answers `.pending` at once, since delivery is serial; so it
    /// does when the calling task is cancelled while it waits. What was started in an action, but does not belong to
    /// the task (a detached task, a callback), is not known to be inside, and must not be waited for there if it
    /// delivers; nor must two buses' actions deliver to each other.
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
        guard !isInsideOwnAction else {
            let isPending = post(error, metadata, source, nil)
            return HandleOutcome(disposition: isPending ? .pending : .dropped)
        }
        let promise = Promise<HandleOutcome>()
        post(error, metadata, source, promise)
        return await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            promise.fulfill(HandleOutcome(disposition: .pending))
        }
    }

    var hasEnded: Bool { intake.state.hasEnded }

    /// Whether this task runs in an action of this bus, or was started in one that still runs.
    var isInsideOwnAction: Bool {
        ErrorBus.actions.contains { action in
            action.bus == number && machine.withLock { $0.isDelivering(action.sequence) }
        }
    }

    /// Posts an error, and answers whether it is pending; if not, it was dropped.
    @discardableResult
    private func post(
        _ error: any Error,
        _ metadata: [String: String],
        _ source: ErrorReport.Source,
        _ promise: Promise<HandleOutcome>?
    ) -> Bool {
        switch intake.reserve(for: error) {
        case .accepted:
            let pending =
                hasFloodLimit
                ? StampedReport(
                    error,
                    at: source,
                    metadata: metadata,
                    scope: [],
                    promise: promise,
                    stamp: .init(code: ErrorCode(of: error), moment: clock.now())
                )
                : PendingReport(error, at: source, metadata: metadata, promise: promise)
            if push(pending) { return true }
        case .full(let makesNotice):
            if makesNotice { announceDrops(at: source) }
        case .closed:
            let report = ErrorReport(error: error, source: source, metadata: metadata)
            StandardError.write(report, because: "the bus has finished")
        }
        promise?.fulfill(HandleOutcome(disposition: .dropped))
        return false
    }

    /// Hands over what was accepted; answers whether it will be delivered.
    private func push(_ pending: PendingReport) -> Bool {
        switch intake.push(pending) {
        case .pushed:
            return true
        case .pushedToSleeper:
            waker.yield()
            return true
        case .refused:
            // It was accepted, and the bus was shut down since.
            if pending.kind == .posted { StandardError.write(pending.report(), because: "the bus has finished") }
            return false
        }
    }

    /// Lets a notice of drops follow.
    private func announceDrops(at source: ErrorReport.Source) {
        if intake.reserveNotice(), push(PendingReport(noticeOfDropsAt: source, scope: [])) { return }
        // The bus has ended since it was full: nobody is left who could deliver the notice.
        let drops = machine.withLock { machine in
            let drops = intake.takeDrops()
            machine.counters.toldDrops += drops.count
            return drops
        }
        if drops.count == 0 { return }
        StandardError.write(ErrorReport(error: drops, source: source), because: "the bus has finished")
    }
}
