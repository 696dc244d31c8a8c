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
/// or, where the program has a body to run beside it, ``withErrorBus(handler:configuration:asRoot:isolation:_:)``.
///
/// Posting never suspends, throws or waits for an action, and works on any thread. Delivery is serial: one report at a
/// time, each to its end, in a task of the bus's own. Memory is bounded, and nothing is lost without being counted:
/// see ``Statistics``.
public final class ErrorBus: ErrorPosting {
    /// The bus of this task: bound by ``withErrorBus(handler:configuration:asRoot:isolation:_:)``, and inside every
    /// action.
    @TaskLocal public static var current: ErrorBus?

    /// The actions in which this task runs, or from which it was started, from the outside in.
    @TaskLocal static var actions: [ActionMark] = []

    /// One action of one bus: the delivery of one report.
    struct ActionMark: Sendable {
        /// A number, since an address may be used again.
        let bus: UInt64
        let sequence: UInt64
    }

    /// Whether this task, or thread, is in a metadata provider.
    @TaskLocal private static var isProvidingMetadata = false

    private static let lastNumber = Atomic<UInt64>(0)

    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let handler: ErrorHandler
    let clock: BusClock
    let actionTimeLimit: Duration?
    let floodLimit: FloodLimit?
    let hasOwnFingerprint: Bool
    /// What a poster's moment lacks to be one of the bus's clock, in nanoseconds, where that is the system's.
    let momentOffset: Int64
    let metadataProvider: (@Sendable (any Error) -> [String: String])?
    let drainTimeLimit: Duration?
    private let ownLastResort: LastResort?
    private let atExit = PendingAtExit()
    let observers = ObserverRegistry()
    let tasks = TaskRegistry()

    /// Every report from its post to its end; all else here does what it says.
    let storage: BusStorage
    /// When the worker last looked at the clock before a delivery, in nanoseconds.
    let deliveryBegan = PaddedCounter(0)
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
    public convenience init(handler: ErrorHandler, configuration: Configuration = .init()) {
        self.init(handler: handler, configuration: configuration, startingAt: 0)
    }

    /// Sets up a bus whose first report has a number of its own: all before it count as posted and handled.
    init(handler: ErrorHandler, configuration: Configuration, startingAt start: Int64) {
        configuration.validate()
        self.handler = handler
        clock = BusClock(configuration.clock)
        actionTimeLimit = configuration.actionTimeLimit
        floodLimit = configuration.floodLimit
        hasOwnFingerprint = configuration.floodLimit?.fingerprint != nil
        let moment = ErrorReport.Moment()
        momentOffset = clock.moment(of: moment.instant).nanoseconds &- moment.sinceOrigin
        metadataProvider = configuration.metadataProvider
        drainTimeLimit = configuration.drainTimeLimit
        ownLastResort = configuration.lastResort
        storage = BusStorage(
            capacity: configuration.capacity,
            actionTimeLimit: configuration.actionTimeLimit,
            floodLimit: configuration.floodLimit,
            startingAt: start
        )
        // One wake-up is as good as many: the worker takes all that it finds.
        (wakeUps, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        atExit.hold(self)
    }

    deinit {
        atExit.leave()
        let left = storage.takeBack().left?.reports ?? []
        // Before anyone's code runs: an observation that ends in it has the figures from there.
        observers.finish(statistics)
        for pending in left {
            pending.posting.promise?.fulfill(HandleOutcome(disposition: .dropped))
            lastResort.write(pending.report(), because: "the bus was discarded before it was delivered")
        }
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
    public func post(_ error: consuming any Error, metadata: [String: String], source: ErrorReport.Source) {
        post(error, metadata, source, in: nil)
    }

    /// Posts an error and waits until it is delivered.
    ///
    /// Inside one of this bus's own actions it posts and returns `.pending` at once, since delivery is serial; so it
    /// does when the calling task is cancelled while it waits. What was started in an action, but does not belong to
    /// the task (a detached task, a callback), is not known to be inside, and must not be waited for there if it
    /// delivers; nor must two buses' actions deliver to each other.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along.
    ///   - source: Where it is posted.
    /// - Returns: What became of it.
    @discardableResult
    public func deliver(
        _ error: any Error,
        metadata: [String: String],
        source: ErrorReport.Source
    ) async -> HandleOutcome {
        await deliver(error, metadata, source, in: nil)
    }

    /// Posts an error that belongs to a scope, or to the bus itself, and waits until it is delivered.
    func deliver(
        _ error: any Error,
        _ metadata: [String: String],
        _ source: ErrorReport.Source,
        in scope: ScopeContext?
    ) async -> HandleOutcome {
        guard !isInsideOwnAction else {
            let isPending = post(error, metadata, source, in: scope)
            return HandleOutcome(disposition: isPending ? .pending : .dropped)
        }
        let promise = Promise<HandleOutcome>()
        post(error, metadata, source, in: scope, promise)
        return await withTaskCancellationHandler {
            await promise.value
        } onCancel: {
            promise.fulfill(.pending)
        }
    }

    var hasEnded: Bool { storage.hasEnded }

    /// Where the bus writes what nobody is left to handle.
    var lastResort: LastResort { ownLastResort ?? .ofProcess }

    /// Runs a body in which neither bus nor scope is bound: a task that is started there keeps none of them alive.
    static func unbound<Result>(_ body: () -> Result) -> Result {
        $current.withValue(nil) { ErrorScope.$bound.withValue(nil, operation: body) }
    }

    /// Whether this task runs in an action of this bus, or was started in one that still runs.
    var isInsideOwnAction: Bool {
        ErrorBus.actions.contains { action in
            // Never one in the lane: only asynchronous actions leave a mark.
            action.bus == number && storage.isDelivering(action.sequence)
        }
    }

    /// Posts an error that belongs to a scope, or to the bus itself, and returns whether it is pending; if not, it was
    /// dropped.
    @discardableResult
    func post(
        _ error: consuming any Error,
        _ metadata: [String: String],
        _ source: ErrorReport.Source,
        in scope: ScopeContext?,
        _ promise: Promise<HandleOutcome>? = nil
    ) -> Bool {
        let error = ErrorBox.unboxed(error)
        // First what may run code of the user's: between reservation and filling the loop waits for this poster.
        let metadata = metadataProvider == nil ? metadata : provided(metadata, for: error)
        let floodStamp = floodLimit == nil ? nil : floodStamp(for: error)
        switch storage.reserve(for: error) {
        case .accepted(let number):
            let answer = storage.fill(
                number,
                isSpecial: promise != nil,
                with: Posting(
                    error,
                    at: source,
                    metadata: metadata,
                    scope: scope,
                    promise: promise,
                    floodStamp: floodStamp
                )
            )
            switch answer {
            case .filled:
                return true
            case .filledForSleeper:
                waker.yield()
                return true
            case .refused:
                // It was accepted, and the bus was shut down since.
                writeToLastResort(storage.takeBack(number))
            }
        case .full(let makesNotice):
            if makesNotice { announceDrops(at: source) }
        case .closed:
            writeToLastResort(Posting(error, at: source, metadata: metadata, scope: scope))
        }
        promise?.fulfill(HandleOutcome(disposition: .dropped))
        return false
    }

    private func writeToLastResort(_ posting: Posting) {
        lastResort.write(posting.report(), because: "the bus has finished")
    }

    /// What the poster gives along, on top of what the configuration's provider does.
    @inline(never)
    private func provided(_ metadata: [String: String], for error: any Error) -> [String: String] {
        // An error that is posted while the provider is asked gets nothing from it: it would be asked without end.
        guard let metadataProvider, !ErrorBus.isProvidingMetadata else { return metadata }
        let provided = ErrorBus.$isProvidingMetadata.withValue(true) { metadataProvider(error) }
        return provided.merging(metadata) { _, own in own }
    }

    /// Lets a notice of drops follow.
    ///
    /// Once for many drops, so that it may take the lock.
    private func announceDrops(at source: ErrorReport.Source) {
        let isAnnounced = storage.announceDrops(at: source)
        let (untold, wakes) = storage.settleDrops(at: source, isAnnounced: isAnnounced)
        if wakes { waker.yield() }
        guard let untold else { return }
        lastResort.write(ErrorReport(error: untold, source: source), because: "the bus has finished")
    }
}
