import Synchronization

/// The central place for errors: accepts posts from anywhere, and delivers them in order to one handler.
///
/// The root component of a program owns the bus and its loop; everyone else posts:
///
/// ```swift
/// let bus = ErrorBus(handler: .default)
/// bus.becomeRoot()
/// await bus.run()          // returns after finish(), when everything is delivered
/// ```
///
/// A program that has a body to run beside the bus uses ``withErrorBus(handler:configuration:asRoot:isolation:_:)``.
///
/// Posting never suspends, throws or waits for an action, and works on any thread. Delivery is serial, in a task of the
/// bus's own: a report's actions end before the next report is delivered. Memory is bounded, and every lost error is
/// counted; see ``Statistics``.
public final class ErrorBus: ErrorPosting {
    /// The bus of this task: bound by ``withErrorBus(handler:configuration:asRoot:isolation:_:)``, and inside every
    /// action.
    public static var current: ErrorBus? { Ambience.current.bus }

    private static let lastNumber = Atomic<UInt64>(0)

    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let handler: ErrorHandler
    let clock: BusClock
    let configuration: Configuration
    /// Whether there is a witness; to look at the witness itself, each post would copy it.
    private let hasWitness: Bool
    let observers = ObserverRegistry()
    let tasks = TaskRegistry()

    /// Holds every report from its post to its end, and decides; the bus does what the storage's results say.
    let storage: BusStorage
    /// The time at which the worker last read the clock before a delivery, in nanoseconds.
    let deliveryBegan: PaddedCounter
    let internalTasks = Locked(InternalTasks())
    let ended = Promise<Void>()
    let wakeUps = WakeUps()

    /// Creates a bus; ``run()`` starts the delivery.
    ///
    /// Errors may be posted before the bus runs, up to its capacity.
    ///
    /// - Parameters:
    ///   - handler: The rules, such as `.default`. The parameter has no default value, so that the caller's `.default`
    ///     may be the application's own.
    ///   - configuration: The bus's limits, clock, metadata provider and last resort. A capacity below 1 or a negative
    ///     limit stops the program.
    public convenience init(handler: ErrorHandler, configuration: Configuration = .init()) {
        self.init(handler: handler, configuration: configuration, startingAt: 0)
    }

    /// Creates a bus whose first report has the given number; the reports before it count as posted and handled.
    init(handler: ErrorHandler, configuration: Configuration, startingAt start: Int64) {
        configuration.validate()
        self.handler = handler
        clock = BusClock(configuration.clock)
        deliveryBegan = PaddedCounter(clock.now().nanoseconds)
        self.configuration = configuration
        hasWitness = configuration.witness != nil
        storage = BusStorage(
            capacity: configuration.capacity,
            actionTimeLimit: configuration.actionTimeLimit,
            floodLimit: configuration.floodLimit,
            startingAt: start
        )
        PendingAtExit.add(self)
    }

    deinit {
        PendingAtExit.remove(self)
        let left = storage.perform { $0.abort($1) }?.postings ?? []
        // Before the user's code below runs: an observation that ends there gets its statistics from the registry.
        observers.finish(statistics)
        for (posting, _) in left {
            posting.promise?.fulfill(HandleOutcome(disposition: .dropped))
            lastResort.write(posting.report(), because: "the bus was discarded before it was delivered")
        }
        wakeUps.end()
        internalTasks.withLock { $0.timer?.task }?.cancel()
    }

    // MARK: Posting

    /// Posts an error, to be delivered by the bus's worker.
    ///
    /// Never suspends, never throws, never waits for an action, and works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    public func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        _ = post(error, as: role, metadata: metadata, source: source, in: nil)
    }

    /// Posts an error and waits until it is delivered.
    ///
    /// Inside one of this bus's own actions it posts and returns `.pending` at once, because delivery is serial; it
    /// also returns `.pending` if the calling task is cancelled while it waits, and if a ``FloodLimit`` holds the error
    /// to deliver or suppress it when its window ends. The bus cannot know that an action started a detached task or a
    /// callback: an action must not wait for one that delivers to the same bus, because neither would end. Nor must
    /// actions of two buses deliver to each other.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        await deliver(error, as: role, metadata: metadata, source: source, in: nil)
    }

    /// Posts an error in a scope, or to the bus itself if that is nil, and waits until it is delivered.
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source,
        in scope: ScopeContext?
    ) async -> HandleOutcome {
        guard !isInsideOwnAction else {
            let isPending = post(error, as: role, metadata: metadata, source: source, in: scope)
            return HandleOutcome(disposition: isPending ? .pending : .dropped)
        }
        let promise = Promise<HandleOutcome>()
        _ = post(error, as: role, metadata: metadata, source: source, in: scope, promise: promise)
        return await promise.value(ifCancelled: .pending)
    }

    /// Explains what the bus's rules would do with an error, rule by rule; see ``ErrorHandler/explain(_:)``.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order in which they are tried.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation { handler.explain(error) }

    /// The bus's own last resort, else the process's.
    var lastResort: LastResort { configuration.lastResort ?? .ofProcess }

    /// Whether this task runs in an asynchronous action of this bus, or was started in one that still runs.
    var isInsideOwnAction: Bool { isInside(orIn: { _ in false }) }

    /// Whether this task runs in this bus's body, tasks or asynchronous actions, or was started there.
    var isInsideOwnWork: Bool { isInside(orIn: { $0.sequence == nil }) }

    private func isInside(orIn isOther: (Ambience.Work) -> Bool) -> Bool {
        Ambience.current.work.contains { part in
            guard part.bus == number else { return false }
            return isOther(part) || part.sequence.map { number in storage.perform { $0.isDelivering(number) } } ?? false
        }
    }

    /// Posts an error in a scope, or to the bus itself if that is nil.
    ///
    /// - Returns: Whether the error is pending; if not, it was dropped.
    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String],
        source: ErrorReport.Source, in scope: ScopeContext?, promise: Promise<HandleOutcome>? = nil
    ) -> Bool {
        let error = ErrorBox.unboxed(error)
        // The user's code runs first: between reservation and filling, the worker may have to wait for this poster.
        var metadata = configuration.metadataProvider == nil ? metadata : provided(metadata, for: error)
        if let scope, ScopeContext.hasAnnotations { metadata = scope.annotated(metadata) }
        let mark = hasWitness ? mark(error, as: role) : nil
        // Found out here and not by the worker, which reads it under the lock: the matcher runs the user's code.
        let isCancellation = configuration.floodLimit != nil && role == .notice && Cancellation.matches(error)
        let floodStamp = configuration.floodLimit == nil ? nil : floodStamp(for: error)
        switch storage.intake.reserve() {
        case .accepted(let number):
            let answer = storage.intake.mailbox.fill(
                number,
                with: Posting(
                    error,
                    as: role,
                    at: source,
                    metadata: metadata,
                    scope: scope,
                    promise: promise,
                    floodStamp: floodStamp,
                    mark: mark,
                    isCancellation: isCancellation
                )
            )
            switch answer {
            case .filled:
                return true
            case .filledForSleeper:
                wakeUps.signal()
                return true
            case .refused:
                // The error was accepted, and the bus was shut down before the slot was filled.
                writeToLastResort(storage.intake.mailbox.reclaim(number))
            }
        case .full:
            drop(error, at: source)
        case .closed:
            writeToLastResort(Posting(error, as: role, at: source, metadata: metadata, scope: scope, mark: mark))
        }
        promise?.fulfill(HandleOutcome(disposition: .dropped))
        return false
    }

    private func writeToLastResort(_ posting: Posting) {
        lastResort.write(posting.report(), because: "the bus has finished")
    }

    /// Returns the provider's metadata, with the poster's on top.
    @inline(never)
    private func provided(_ metadata: [String: String], for error: any Error) -> [String: String] {
        // The provider is not called for an error that it posts itself: that could recurse without end.
        guard let provider = configuration.metadataProvider,
            let provided = PerThread.unlessProviding(for: number, { provider(error) })
        else { return metadata }
        return provided.merging(metadata) { _, own in own }
    }

    /// Returns the witness's mark for an error.
    @inline(never)
    private func mark(_ error: any Error, as role: ErrorReport.Role) -> (any AnyObject & Sendable)? {
        configuration.witness?.mark(error, as: role)
    }

    /// Counts an error as dropped; after the first since the last notice, lets a notice follow what is accepted so far.
    @inline(never)
    private func drop(_ error: any Error, at source: ErrorReport.Source) {
        guard storage.intake.drops.add(type(of: error)) else { return }
        if storage.intake.announceDrops(at: source) { wakeUps.signal() } else { writeDropsAfterEnd() }
    }

    /// Writes the drops to the last resort of which a notice was announced that nobody will deliver.
    func writeDropsAfterEnd() {
        guard let drops = storage.perform({ $0.dropsAfterEnd($1) }) else { return }
        lastResort.write(ErrorReport(error: drops.error, source: drops.source), because: "the bus has finished")
    }
}
