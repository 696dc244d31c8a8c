import Synchronization

/// All of a bus's reports from post to completion, and the state that determines what happens to them.
///
/// Callers use the intake without a lock. All other operations are events of the state machine under the lock. The
/// storage has no tasks or clock. It lists the observers but doesn't call them, and it doesn't write output.
struct BusStorage: ~Copyable, Sendable {
    typealias WorkerAction = BusStateMachine.WorkerAction

    /// The place of the intake, which the machine uses under the lock; callers use it without the lock.
    private let intakePlace: Place<BusIntake>
    /// The part that callers write to.
    var intake: BusIntake { @inline(__always) _read { yield intakePlace.value } }
    let machine: Locked<BusStateMachine>
    /// The report in delivery, for the worker.
    let delivery: Delivery
    /// Whether a shutdown has removed the report in delivery; set by the event that removes it.
    private let reportRemoved = Atomic<Bool>(false)

    /// Creates a storage with a capacity, limited to ``BusIntake/maximumCapacity``, and a flood limit.
    ///
    /// All reports before the start number count as posted and handled.
    init(capacity: Int, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        intakePlace = Place(BusIntake(capacity: capacity, startingAt: start))
        let machine = BusStateMachine(intakePlace, floodLimit: floodLimit, startingAt: start)
        delivery = machine.delivery
        self.machine = Locked(machine)
    }

    deinit { intakePlace.destroy() }

    // MARK: Callers, without the lock

    /// A caller's next step after a post.
    enum PostAction {
        /// The report is pending.
        case nothing
        /// The report is pending, and the worker is sleeping: wake it.
        case wake
        /// The capacity is exhausted: count the error as dropped.
        case drop
        /// The bus has finished: write the posting to the last resort.
        ///
        /// The payload is boxed because it is rare and large.
        indirect case refuse(Posting)
    }

    /// Accepts a report if there is room.
    ///
    /// The closure sets the posting's kind for a flood limit and is called only if there is room. It might run user
    /// code. The worker then waits for this thread, as it does for every caller between reservation and filling.
    @inline(__always)
    func post(_ posting: consuming Posting, limitedBy limit: (inout Posting) -> Void = { _ in }) -> PostAction {
        switch intake.reserve() {
        case .accepted(let number):
            limit(&posting)
            return switch intake.mailbox.fill(number, with: posting) {
            case .filled: .nothing
            case .filledForSleeper: .wake
            // Reclaim the posting: the bus was shut down before the slot was filled.
            case .refused: .refuse(intake.mailbox.reclaim(number))
            }
        case .full: return .drop
        case .closed: return .refuse(posting)
        }
    }

    /// The next step of a caller whose error was dropped.
    enum DropAction {
        /// The pending notice will include the error.
        case nothing
        /// There is a new notice: wake the worker.
        case wake
        /// There is a new notice, but the bus has ended: write the drops to the last resort.
        case writeDrops
    }

    /// Counts an error as dropped.
    ///
    /// The first drop since the last notice also announces a notice that follows the reports accepted so far.
    func drop(_ type: any Error.Type, at source: ErrorReport.Source) -> DropAction {
        guard intake.drops.add(type) else { return .nothing }
        return intake.announceDrops(at: source) ? .wake : .writeDrops
    }

    // MARK: The worker

    func run() -> Bool { machine.withLock { $0.run() } }

    @inline(__always)
    func next(after pause: BusStateMachine.WorkerPause = .none) -> WorkerAction {
        machine.withLock { $0.next(after: pause) }
    }

    /// Completes the report in delivery and returns the worker's next step.
    ///
    /// The rule is the one that decided the report. `completed` is set to the report, whose error the caller must
    /// release after unlocking.
    @inline(__always)
    func complete(
        _ disposition: HandleOutcome.Disposition, by rule: Borrowed<Rule>?, _ completed: inout Posting?
    ) -> WorkerAction {
        machine.withLock { $0.complete(disposition, by: rule, &completed) }
    }

    func notified() -> WorkerAction { machine.withLock { $0.notified() } }

    /// Returns whether the report with a number is in its slot; doesn't take the lock.
    func hasReport(at number: Int64) -> Bool { intake.mailbox.isFilled(number) }

    /// Whether a shutdown has removed the report in delivery; read without the lock.
    var isReportRemoved: Bool { reportRemoved.load(ordering: .acquiring) }

    // MARK: Actions and time

    func actionBegins(_ action: RunningAction) -> Bool { machine.withLock { $0.actionBegins(action) } }

    func actionStarts(_ action: RunningAction, until end: Duration?) -> Bool {
        machine.withLock { $0.actionStarts(action, until: end) }
    }

    func actionEnds(_ action: RunningAction, with failure: ActionFailure?) -> Bool {
        machine.withLock { $0.actionEnds(action, with: failure) }
    }

    func actionFails(_ failure: ActionFailure) -> Bool { machine.withLock { $0.actionFails(failure) } }

    func timeIsUp(at now: Duration) -> BusStateMachine.TimerAction { machine.withLock { $0.timeIsUp(at: now) } }

    /// Returns whether the report with a sequence number is in delivery.
    func isDelivering(_ sequence: UInt64) -> Bool { machine.withLock { $0.isDelivering(sequence) } }

    /// The error of the report in delivery.
    var errorInDelivery: UnboxedError? { machine.withLock { $0.errorInDelivery } }

    // MARK: Observers

    /// Adds an observer and returns its number; if the bus has ended, the caller must finish the observer instead.
    func addObserver(
        _ observer: any ReportObserver, of scope: ScopeContext?
    ) -> (id: UInt64, end: ErrorBus.Statistics?) {
        let (id, end, former) = machine.withLock { $0.observers.add(observer, of: scope) }
        return withExtendedLifetime(former) { (id, end) }
    }

    func removeObserver(_ id: UInt64) {
        let former = machine.withLock { $0.observers.remove(id) }
        withExtendedLifetime(former) {}
    }

    /// Ends all observations; the caller must finish the returned observers with the statistics.
    func finishObservers() -> (members: [ObserverList.Member], statistics: ErrorBus.Statistics) {
        machine.withLock { machine in
            let statistics = machine.statistics
            return (machine.observers.finish(statistics), statistics)
        }
    }

    // MARK: Waiting and ending

    func flush(_ promise: Promise<Bool>, until deadline: Duration?) -> BusStateMachine.FlushAction {
        machine.withLock { $0.flush(promise, until: deadline) }
    }

    /// Removes the promise of a caller that no longer waits.
    func removeFlush(_ promise: Promise<Bool>) {
        _ = machine.withLock { machine in machine.takeFlushes { $0.promise === promise } }
    }

    /// Removes and returns the promises of all waiting callers when the bus ends.
    ///
    /// Their flushes have succeeded unless a shutdown removed reports.
    func takeFlushes() -> (promises: [Promise<Bool>], haveSucceeded: Bool) {
        machine.withLock { machine in (machine.takeFlushes { _ in true }, machine.counts.removed == 0) }
    }

    func close() -> BusStateMachine.CloseAction { machine.withLock { $0.close() } }

    func close(ifIdleSince delivered: Int64) -> BusStateMachine.CloseAction? {
        machine.withLock { $0.close(ifIdleSince: delivered) }
    }

    func tasksEnded() -> BusStateMachine.CloseAction { machine.withLock { $0.tasksEnded() } }

    func cancel() -> BusStateMachine.CloseAction { machine.withLock { $0.cancel() } }

    func abort() -> BusStateMachine.Leftovers? { machine.withLock { abort(&$0) } }

    private func abort(_ machine: inout BusStateMachine) -> BusStateMachine.Leftovers? {
        defer { reportRemoved.store(true, ordering: .releasing) }
        return machine.abort()
    }

    /// Ends the bus when the process exits; returns nil if a thread, possibly the calling thread, holds the lock.
    func abortIfUnlocked() -> (statistics: ErrorBus.Statistics, left: BusStateMachine.Leftovers?)? {
        machine.withLockIfAvailable { ($0.statistics, abort(&$0)) }
    }

    func leftoversWereReceived() -> Bool { machine.withLock { $0.leftoversWereReceived() } }

    /// Takes the drops of a notice that no worker will deliver.
    func takeDropsAfterEnd() -> Posting? { machine.withLock { $0.takeDrops() } }

    // MARK: Counts

    /// The counts, and whether a report is in delivery.
    var statistics: (counts: ErrorBus.Statistics, isBusy: Bool) {
        machine.withLock { ($0.statistics, $0.isBusy) }
    }

    /// The counts; nil if a thread, possibly the calling thread, holds the lock.
    var statisticsIfUnlocked: ErrorBus.Statistics? { machine.withLockIfAvailable { $0.statistics } }

    var ruleTally: RuleTally { machine.withLock { $0.ruleTally } }

    /// The number of delivered reports.
    var deliveredCount: Int64 { machine.withLock { $0.counts.delivered } }

    var isIdle: Bool { machine.withLock { $0.isIdle } }

    /// The number of pending reports, for readers that can't take the lock.
    var pendingAtLeast: Int64 { intake.accepted - intake.released }

    /// Whether the bus no longer accepts posts; read without the lock.
    var isClosed: Bool { intake.state.isClosed }

    /// Whether the bus has ended; read without the lock.
    var hasEnded: Bool { intake.state.hasEnded }
}
