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
    let observers = ObserverRegistry()
    let tasks = TaskRegistry()

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
        machine = Locked(
            BusStateMachine(capacity: configuration.capacity, actionTimeLimit: configuration.actionTimeLimit)
        )
        // One wake-up is as good as many: the worker takes all that it finds.
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit {
        let left = machine.withLock { $0.takeBack() }
        for pending in left.reports {
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
    /// for each. Read it in a `Task {}` or an `async let`, not in a `task` of the bus:
    /// ``withErrorBus(handler:configuration:_:)`` waits for those before it drains, and the stream ends after that.
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
        let report = ErrorReport(error: error, source: source, metadata: metadata)
        guard !isInsideOwnAction else {
            let isPending = post(report, promise: nil)
            return HandleOutcome(disposition: isPending ? .pending : .dropped)
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

    /// Whether this task runs in an action of this bus, or was started in one that still runs.
    var isInsideOwnAction: Bool {
        ErrorBus.actions.contains { action in
            action.bus == number && machine.withLock { $0.isDelivering(action.sequence) }
        }
    }

    /// Posts a report, and answers whether it is pending; if not, it was dropped.
    @discardableResult
    private func post(_ report: ErrorReport, promise: Promise<HandleOutcome>?) -> Bool {
        switch machine.withLock({ $0.post(PendingReport(report: report, promise: promise)) }) {
        case .accepted(let wake):
            if wake { waker.yield() }
            return true
        case .overflowed:
            promise?.fulfill(HandleOutcome(disposition: .dropped))
        case .refused:
            StandardError.write(report, because: "the bus has finished")
            promise?.fulfill(HandleOutcome(disposition: .dropped))
        }
        return false
    }
}
