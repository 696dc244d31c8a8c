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
/// To run code alongside the bus, use ``withErrorBus(handler:configuration:asRoot:isolation:_:)``.
///
/// Posting never suspends, throws, or waits for an action, and it works on any thread. Delivery is serial, in the bus's
/// own task: a report's actions have ended before the next report is delivered. Memory is bounded, and every lost error
/// is counted; see ``Statistics``.
public final class ErrorBus: ErrorPosting {
    /// The current task's bus: it is bound by ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` and in
    /// actions.
    public static var current: ErrorBus? { Ambience.current.bus }

    private static let lastNumber = Atomic<UInt64>(0)

    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let handler: ErrorHandler
    let clock: BusClock
    let configuration: Configuration
    /// The details of other packages' errors; nil if the configuration has none.
    let detailsTable: DetailsTable?
    /// Whether all postings have extras, because there is a witness, a metadata provider, or a table of details.
    ///
    /// Stored, because reading the witness's existential would copy it for each post.
    private let addsExtras: Bool
    private let hasFloodLimit: Bool
    let tasks = TaskRegistry()
    let unrunWatch = UnrunWatch()

    /// Holds every report from its post to its completion; it makes the decisions, and the bus carries them out.
    let storage: BusStorage
    /// The time, in nanoseconds, at which the worker last read the clock before a delivery.
    let deliveryBegan: PaddedCounter
    let internalTasks = Locked(InternalTasks())
    let ended = Promise<Void>()
    let wakeUps = WakeUps()

    /// Creates a bus; ``run()`` starts its delivery.
    ///
    /// Errors can be posted before the bus runs, up to its capacity.
    ///
    /// - Parameters:
    ///   - handler: The rules, such as `.default`. The parameter has no default value, so that the caller's `.default`
    ///     can be the application's own.
    ///   - configuration: The bus's limits, clock, metadata provider, and last resort. A capacity below 1 or a negative
    ///     limit crashes the program.
    public convenience init(handler: ErrorHandler, configuration: Configuration = .init()) {
        self.init(handler: handler, configuration: configuration, startingAt: 0)
    }

    /// Creates a bus with a given first report number; the reports before that number count as posted and handled.
    init(handler: ErrorHandler, configuration: Configuration, startingAt start: Int64) {
        configuration.validate()
        self.handler = handler
        clock = BusClock(configuration.clock)
        deliveryBegan = PaddedCounter(clock.now().nanoseconds)
        self.configuration = configuration
        let details = configuration.details
        detailsTable = details.isEmpty ? nil : { details[$0] } as DetailsTable
        addsExtras =
            configuration.witness != nil || configuration.metadataProvider != nil || !details.isEmpty
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
        abort { reports in
            // Finish the observers before the last resort runs user code: that code can end an observation, which
            // can't read a deallocated bus's statistics.
            finishObservers()
            for report in reports { lastResort.write(report, because: "the bus was discarded before it was delivered") }
        }
    }

    // MARK: Posting

    /// Posts an error for delivery by the bus's worker.
    ///
    /// Posting never suspends, throws, or waits for an action, and it works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error to post.
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
    /// The method returns `.pending` without a delivery in these cases:
    /// - Inside one of this bus's own actions, it posts the error and returns immediately, because delivery is serial.
    ///   If the bus is full or has finished, it returns `.dropped`.
    /// - The calling task is cancelled during the wait.
    /// - A ``FloodLimit`` holds back the error, to deliver or suppress it when the window ends.
    ///
    /// The bus can't detect that an action started a detached task or a callback. An action must not wait for such a
    /// task or callback if it delivers to the same bus, because both would wait forever. For the same reason, actions
    /// of two buses must not deliver to each other.
    ///
    /// - Parameters:
    ///   - error: The error to post.
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

    /// Posts an error in a scope or, if it is nil, to the bus itself, and waits until the error is delivered.
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

    /// Returns a report of an error as this bus would deliver it, without posting the error.
    ///
    /// The report's strings use ``Configuration/details``. Use it to describe an error elsewhere, such as in a span, in
    /// the same words as in the log, or to test the details.
    ///
    /// - Parameters:
    ///   - error: The error to describe.
    ///   - fileID: The file of the report's source location.
    ///   - line: The line of the report's source location.
    /// - Returns: The report, with a pending outcome.
    public func report(of error: any Error, fileID: String = #fileID, line: UInt = #line) -> ErrorReport {
        let rareParts = ErrorReport.RareParts(table: detailsTable).boxed
        return Posting(
            UnboxedError(error), at: .init(fileID: fileID, line: line), extras: Box(.init(rareParts: rareParts))
        ).report()
    }

    /// The bus's own last resort if it has one, and the process's last resort if it doesn't.
    var lastResort: LastResort { configuration.lastResort ?? .ofProcess }

    /// Whether this task runs in an asynchronous action for the report in delivery, or was started in one.
    var isInsideOwnAction: Bool {
        ownWork.contains { work in
            guard case .asynchronousAction(let sequence) = work.part else { return false }
            return storage.apply { $0.isDelivering(sequence) }
        }
    }

    /// Whether this task runs in this bus's body, tasks, or asynchronous actions, or was started there.
    var isInsideOwnWork: Bool { ownWork.contains { $0.part == .bodyOrTask } || isInsideOwnAction }

    /// The parts of this bus's work in which this task runs or was started.
    var ownWork: some Sequence<Ambience.Work> { Ambience.current.work.lazy.filter { $0.bus == self.number } }

    /// Posts an error in a scope or, if it is nil, to the bus itself; returns false if the error was dropped.
    @inline(never)
    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String],
        source: ErrorReport.Source, in scope: ScopeContext?, promise: Promise<HandleOutcome>? = nil
    ) -> Bool {
        let error = UnboxedError(error)
        // Run user code first: between the reservation of a slot and its filling, the worker might have to wait for
        // this thread. Only a flood limit's kind is computed there, because in a flood most errors are dropped.
        let isPlain =
            metadata.isEmpty && role == .failure && promise == nil && !addsExtras && !PerThread.isLogging
            && !(scope != nil && ScopeContext.hasAnnotations)
        let extras = isPlain ? nil : extras(for: error.error, as: role, metadata: metadata, in: scope, promise)
        let moment = Moment()
        if unrunWatch.note(moment) { writeIfUnrun() }
        let action = storage.post(Posting(error, at: source, scope: scope, moment: moment, extras: extras)) {
            if hasFloodLimit { applyFloodLimit(to: &$0) }
        }
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

    /// Writes a line if the bus has never been run, although errors have been posted to it for some seconds.
    @inline(never)
    private func writeIfUnrun() {
        if storage.isClosed || storage.apply({ $0.phase != .created }) { return }
        lastResort.write(
            line: """
                error-bus: nothing has run a bus that has been posted to for \(UnrunWatch.patience / 1_000_000_000) s: \
                call run(), or use withErrorBus
                """)
    }

    /// Returns the parts that most postings don't have.
    ///
    /// The metadata merges the scope's annotations, the provider's metadata, and the caller's metadata; later values win.
    @inline(never)
    private func extras(
        for error: any Error, as role: ErrorReport.Role, metadata: [String: String], in scope: ScopeContext?,
        _ promise: Promise<HandleOutcome>?
    ) -> Box<Posting.Extras> {
        var metadata = metadata
        // Don't call the provider for an error that the provider posts: that could recurse without end.
        if let provider = configuration.metadataProvider,
            let provided = PerThread.calling(.metadataProvider, of: number, { provider(error) })
        {
            metadata = provided.merging(metadata) { _, own in own }
        }
        let mark = configuration.witness?.mark(error, as: role)
        let rareParts = ErrorReport.RareParts(
            role: role, mark: mark, log: .current(lastResort), table: detailsTable)
        return Box(
            .init(metadata: scope?.annotated(metadata) ?? metadata, rareParts: rareParts.boxed, promise: promise))
    }

    /// Counts an error as dropped.
    @inline(never)
    func drop(_ error: any Error, at source: ErrorReport.Source) {
        switch storage.drop(type(of: error), at: source) {
        case .nothing: break
        case .wake: wakeUps.signal()
        case .write(let drops): lastResort.write(drops.report(), because: "the bus has finished")
        }
    }
}
