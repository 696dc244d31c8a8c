import Synchronization

/// The central place for errors: it accepts posts from anywhere and delivers them in order to one handler.
///
/// One component of a program owns the bus and its loop; all other components post:
///
/// ```swift
/// let bus = ErrorBus(handler: .default)
/// bus.becomeRoot()
/// await bus.run()          // returns after finish(), when everything is delivered
/// ```
///
/// A program that runs a body next to the bus uses ``withErrorBus(handler:configuration:asRoot:isolation:_:)``.
///
/// Posting never suspends, throws, or waits for an action, and works on any thread. Delivery is serial, in the bus's
/// own task: a report's actions end before the next report is delivered. Memory is bounded, and every lost error is
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
    /// The details of other packages' errors; nil if the configuration has none.
    let detailsTable: DetailsTable?
    /// Whether posts have rare parts: there is a witness or a table of details.
    ///
    /// Looking at the witness itself would copy it for each post.
    private let hasRareParts: Bool
    private let hasFloodLimit: Bool
    let observers = ObserverRegistry()
    let tasks = TaskRegistry()
    let ruleTally = RuleTally()
    let unrunWatch = UnrunWatch()

    /// The storage that holds every report from its post to its completion; it decides, and the bus carries out its
    /// results.
    let storage: BusStorage
    /// The time at which the worker last read the clock before a delivery, in nanoseconds.
    let deliveryBegan: PaddedCounter
    let internalTasks = Locked(InternalTasks())
    let ended = Promise<Void>()
    let wakeUps = WakeUps()

    /// Creates a bus; ``run()`` starts its delivery.
    ///
    /// You can post errors before the bus runs, up to its capacity.
    ///
    /// - Parameters:
    ///   - handler: The rules, such as `.default`. The parameter has no default value so that the caller's `.default`
    ///     can be the application's own.
    ///   - configuration: The bus's limits, clock, metadata provider, and last resort. A capacity below 1 or a negative
    ///     limit stops the program.
    public convenience init(handler: ErrorHandler, configuration: Configuration = .init()) {
        self.init(handler: handler, configuration: configuration, startingAt: 0)
    }

    /// Creates a bus with a given first report number; the reports before it count as posted and handled.
    init(handler: ErrorHandler, configuration: Configuration, startingAt start: Int64) {
        configuration.validate()
        self.handler = handler
        clock = BusClock(configuration.clock)
        deliveryBegan = PaddedCounter(clock.now().nanoseconds)
        self.configuration = configuration
        let details = configuration.details
        detailsTable = details.isEmpty ? nil : DetailsTable { details[$0] }
        hasRareParts = configuration.witness != nil || !details.isEmpty
        hasFloodLimit = configuration.floodLimit != nil
        storage = BusStorage(
            capacity: configuration.capacity,
            floodLimit: configuration.floodLimit,
            startingAt: start
        )
        PendingAtExit.add(self)
    }

    deinit {
        PendingAtExit.remove(self)
        let left = storage.abort()?.postings ?? []
        // Finish them before the user code below runs: an observation that ends there reads its statistics from the
        // registry.
        observers.finish(statistics)
        for (posting, _) in left {
            posting.promise?.fulfill(HandleOutcome(disposition: .dropped))
            lastResort.write(posting.report(), because: "the bus was discarded before it was delivered")
        }
        wakeUps.end()
        internalTasks.withLock { $0.timer?.task }?.cancel()
    }

    // MARK: Posting

    /// Posts an error for delivery by the bus's worker.
    ///
    /// It never suspends, throws, or waits for an action, and it works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    public func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        _ = post(error, as: role, metadata: metadata, source: source, in: nil)
    }

    /// Posts an error and waits until it is delivered.
    ///
    /// Inside one of this bus's own actions, it posts and returns at once, because delivery is serial: `.pending`, or
    /// `.dropped` if the bus is full or has finished. It also returns `.pending` if the calling task is cancelled
    /// during the wait. The same holds if a ``FloodLimit`` holds back the error to deliver or suppress it when its
    /// window ends. The bus can't detect that an action started a detached task or a callback. An action must not wait
    /// for one that delivers to the same bus, because neither would end. Actions of two buses must not deliver to each
    /// other either.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        await deliver(error, as: role, metadata: metadata, source: source, in: nil)
    }

    /// Posts an error in a scope, or to the bus itself without one, and waits until it is delivered.
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source,
        in scope: ScopeContext?
    ) async -> HandleOutcome {
        guard !isInsideOwnAction else {
            let isPending = postOutOfLine(error, as: role, metadata: metadata, source: source, in: scope)
            return HandleOutcome(disposition: isPending ? .pending : .dropped)
        }
        let promise = Promise<HandleOutcome>()
        _ = postOutOfLine(error, as: role, metadata: metadata, source: source, in: scope, promise: promise)
        return await promise.value(ifCancelled: .pending)
    }

    /// Explains how the bus's rules would handle an error, rule by rule; see ``ErrorHandler/explain(_:)``.
    ///
    /// - Parameter error: The error to explain.
    /// - Returns: One entry for each rule, in the order of evaluation.
    /// - Complexity: O(number of rules).
    public func explain(_ error: any Error) -> Explanation {
        var explanation = handler.explain(error)
        explanation.details = detailsTable
        return explanation
    }

    /// Returns a report of an error as this bus would deliver it, and posts nothing.
    ///
    /// Its texts heed ``Configuration/details``. Use it to describe an error elsewhere, such as in a span, in the same
    /// words as in the log, or to test the details.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - fileID: The file of the report's source.
    ///   - line: The line of the report's source.
    /// - Returns: The report, whose outcome is pending.
    public func report(of error: any Error, fileID: String = #fileID, line: UInt = #line) -> ErrorReport {
        ErrorReport(
            unboxed: UnboxedError(error), rareParts: .of(.failure, by: detailsTable),
            source: .init(fileID: fileID, line: line), moment: Moment(.now), givenMetadata: [:], scope: [], sequence: 0,
            outcome: HandleOutcome(disposition: .pending))
    }

    /// The bus's own last resort or, without one, the process's.
    var lastResort: LastResort { configuration.lastResort ?? .ofProcess }

    /// Whether this task runs in an asynchronous action of this bus, or was started in one that still runs.
    var isInsideOwnAction: Bool { isInside(orIn: { _ in false }) }

    /// Whether this task runs in this bus's body, tasks, or asynchronous actions, or was started there.
    var isInsideOwnWork: Bool { isInside(orIn: { $0.sequence == nil }) }

    private func isInside(orIn isOther: (Ambience.Work) -> Bool) -> Bool {
        Ambience.current.work.contains { part in
            guard part.bus == number else { return false }
            return isOther(part) || part.sequence.map { storage.isDelivering($0) } ?? false
        }
    }

    /// Posts an error in a scope, or to the bus itself without one.
    ///
    /// - Returns: Whether the error is pending; if not, it was dropped.
    @inline(__always)
    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String],
        source: ErrorReport.Source, in scope: ScopeContext?, promise: Promise<HandleOutcome>? = nil
    ) -> Bool {
        let error = UnboxedError(error)
        // Run user code first: between reservation and filling, the worker might have to wait for this thread. Only a
        // flood limit's kind is computed then, because in a flood most errors are dropped.
        let isAnnotated = scope != nil && ScopeContext.hasAnnotations
        let isIncomplete = configuration.metadataProvider != nil || isAnnotated
        let metadata = isIncomplete ? completed(metadata, for: error.error, in: scope) : metadata
        let rareParts = hasRareParts || PerThread.hasLogged ? rareParts(of: error.error, as: role) : .of(role)
        let moment = Moment()
        if unrunWatch.note(moment) { writeUnrun() }
        let action = storage.post(
            Posting(
                error, rareParts: rareParts, at: source, metadata: metadata, scope: scope, moment: moment,
                promise: promise)
        ) { if hasFloodLimit { applyFloodLimit(to: &$0) } }
        switch action {
        case .nothing:
            return true
        case .wake:
            wakeUps.signal()
            return true
        case .drop:
            drop(error.error, at: source)
        case .refuse(let posting):
            lastResort.write(posting.report(), because: "the bus has finished")
        }
        promise?.fulfill(HandleOutcome(disposition: .dropped))
        return false
    }

    /// Writes that errors have been posted for some seconds and nothing has ever run the bus.
    @inline(never)
    private func writeUnrun() {
        lastResort.write(
            line: """
                error-bus: nothing has run a bus that has been posted to for \(UnrunWatch.patience / 1_000_000_000) s: \
                call run(), or use withErrorBus
                """)
    }

    /// Works like ``post(_:as:metadata:source:in:promise:)``; a copy in each scope's `post` would cost more than a
    /// call.
    @inline(never)
    func postOutOfLine(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String],
        source: ErrorReport.Source, in scope: ScopeContext?, promise: Promise<HandleOutcome>? = nil
    ) -> Bool {
        post(error, as: role, metadata: metadata, source: source, in: scope, promise: promise)
    }

    /// Returns the provider's metadata with the scope's annotations and then the caller's on top.
    @inline(never)
    private func completed(
        _ metadata: [String: String], for error: any Error, in scope: ScopeContext?
    ) -> [String: String] {
        var metadata = metadata
        // Don't call the provider for an error that it posts itself: that could recurse without end.
        if let provider = configuration.metadataProvider, PerThread.enter(.metadataProvider, of: number) {
            defer { PerThread.leave() }
            metadata = provider(error).merging(metadata) { _, own in own }
        }
        return scope?.annotated(metadata) ?? metadata
    }

    /// Returns the role of an error, the witness's mark for it, the log in which it is posted, and the bus's table.
    @inline(never)
    private func rareParts(of error: any Error, as role: ErrorReport.Role) -> ErrorReport.RareParts? {
        .of(role, configuration.witness?.mark(error, as: role), in: .current(lastResort), by: detailsTable)
    }

    /// Counts an error as dropped.
    @inline(never)
    func drop(_ error: any Error, at source: ErrorReport.Source) {
        switch storage.drop(type(of: error), at: source) {
        case .nothing: break
        case .wake: wakeUps.signal()
        case .writeDrops: writeDropsAfterEnd()
        }
    }

    /// Writes drops to the last resort if a notice of them was announced that no worker will deliver.
    func writeDropsAfterEnd() {
        guard let drops = storage.takeDropsAfterEnd() else { return }
        lastResort.write(drops.report(), because: "the bus has finished")
    }
}
