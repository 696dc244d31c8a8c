import Synchronization

/// What the bus's lock does not guard: posters use the intake, and the worker the lane.
struct BusShared: ~Copyable, Sendable {
    /// What posters write to; the worker publishes there how many reports are released.
    let intake: BusIntake
    /// The reports that the worker delivers without the lock, and the counts of all ends.
    let lane: DeliveryLane
}

/// All of a bus's reports, from the post to the end, and everything that decides about them.
///
/// Owns the intake, which posters use, the lane and the state machine, which no other type touches. Each method is an
/// event; it returns what the caller has to do after the lock is released. The storage has no tasks, no clock and no
/// observers, and writes no output:
///
///     post → intake ─┬─ the worker in the lane, without the lock ─┬─→ counts
///                    └─ state machine, under the lock ────────────┘
struct BusStorage: ~Copyable, Sendable {
    let shared: BusShared
    private let machine: Locked<BusStateMachine>
    /// A copy of the machine's generation that can be read without the lock.
    ///
    /// Stored with release and read with acquire: a worker that finds itself replaced sees why.
    private let generation = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - capacity: How many reports may be pending; more than ``MailboxLimits/capacity`` counts as that many.
    ///   - actionTimeLimit: How long an asynchronous action may take.
    ///   - floodLimit: How many errors of a kind pass.
    ///   - start: The first report's number; all before it count as posted and handled.
    init(capacity: Int, actionTimeLimit: Duration?, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        shared = BusShared(
            intake: BusIntake(capacity: capacity, startingAt: start),
            lane: DeliveryLane(isLimited: floodLimit != nil, startingAt: start))
        machine = Locked(
            BusStateMachine(
                capacity: capacity, actionTimeLimit: actionTimeLimit, floodLimit: floodLimit, startingAt: start))
    }

    /// Calls a closure with the machine under the lock; what leaves the machine is released after unlocking, since
    /// objects of the user's may be deallocated then.
    @inline(__always)
    func withMachine<Result>(_ body: (inout BusStateMachine) -> Result) -> Result {
        var (former, hasSuppressed) = (BusStateMachine.Phase.idle, false)
        defer { withExtendedLifetime(former) {} }
        let result = machine.withLock { machine in
            former = machine.phase
            defer { hasSuppressed = machine.hasSuppressed }
            return body(&machine)
        }
        if hasSuppressed { releaseSuppressed() }
        return result
    }

    /// Releases the suppressed report.
    ///
    /// Takes the lock once more, so that no other event pays for this. Every event of a worker ends with it, so no
    /// report is suppressed before the last one has gone.
    @inline(never)
    private func releaseSuppressed() {
        let suppressed = machine.withLock { $0.takeSuppressed() }
        withExtendedLifetime(suppressed) {}
    }

    /// Makes a notice of drops follow what is accepted up to now; its source is where the first of them was posted.
    func needsNotice(at source: ErrorReport.Source) -> NoticeAction {
        withMachine { $0.needsNotice(at: source, shared) }
    }

    /// The counts, which balance whenever they are read, and whether a report is in delivery.
    var statistics: (counts: ErrorBus.Statistics, isDelivering: Bool) {
        withMachine { ($0.counts(shared), $0.delivery != nil || $0.isInLane) }
    }

    /// The counts; nil if a thread holds the lock, possibly this one.
    var countsIfUnlocked: ErrorBus.Statistics? { machine.withLockIfAvailable { $0.counts(shared) } }

    /// A lower bound of how many reports are pending, read without the lock.
    var leastPending: Int64 {
        let (released, reclaimed) = (shared.intake.released, shared.intake.reclaimed)
        return shared.intake.accepted - reclaimed - released
    }

    /// How many reports were delivered.
    var delivered: Int64 { shared.lane.delivered }

    /// Whether no more posts are accepted.
    var isClosed: Bool { shared.intake.state.isClosed }

    var hasEnded: Bool { shared.intake.state.hasEnded }

    /// Whether the worker of a generation has not been replaced.
    func isCurrent(_ generation: UInt64) -> Bool { self.generation.load(ordering: .acquiring) == generation }

    /// Whether the report with a sequence number is in delivery outside the lane; only asynchronous actions ask.
    func isDelivering(_ sequence: UInt64) -> Bool { withMachine { $0.delivery?.sequence == sequence } }

    // MARK: Delivering

    /// Returns what the worker of a generation does next.
    ///
    /// - Parameters:
    ///   - generation: The worker's.
    ///   - now: The current moment, if the caller knows it: windows of the flood limit that end by then end.
    func next(for generation: UInt64, at now: Duration? = nil) -> WorkerAction {
        withMachine { $0.next(for: generation, at: now, shared) }
    }

    /// Records the end of a report that the worker of a generation delivered outside the lane.
    ///
    /// - Parameters:
    ///   - progress: The finished dispatch of the report.
    ///   - generation: The worker's.
    ///   - isObserved: Whether observers have to be told of the report. If not, the lock is taken only once for the end
    ///     of the report and the beginning of the next one.
    func complete(_ progress: DispatchProgress, for generation: UInt64, isObserved: Bool) -> WorkerAction {
        withMachine { $0.complete(progress, for: generation, isObserved: isObserved, shared) }
    }

    /// Stops a worker whose report was taken away.
    ///
    /// - Parameters:
    ///   - failures: The failures of the report's actions.
    ///   - known: How many of them the next worker of the report knows of.
    func superseded(after failures: [ActionFailure], known: Int = 0) -> WorkerAction {
        withMachine { $0.superseded(after: failures, known: known) }
    }

    /// Notes how far the report in delivery has come; returns whether the worker of the generation still has it.
    func note(_ progress: DispatchProgress, for generation: UInt64) -> Bool {
        withMachine { $0.note(progress, for: generation) }
    }

    // MARK: The lane, called by the worker alone

    /// Returns the report that the worker is at in the lane, which stays in its place until the worker has gone on.
    @inline(__always)
    func posting(inLaneAt number: Int64) -> UnsafePointer<Posting> {
        unsafe UnsafePointer(shared.intake.mailbox.element(at: number))
    }

    /// Returns the sequence number of the report in delivery in the lane.
    @inline(__always)
    func sequence(inLaneAt number: Int64) -> UInt64 { shared.lane.sequence(of: number) }

    /// Takes a report that has ended in the lane out of its place, to tell of it.
    @inline(__always)
    func take(inLaneAt number: Int64) -> Posting { shared.intake.mailbox.take(number) }

    /// Whether the place of a report is filled.
    @inline(__always)
    func isFilled(at number: Int64) -> Bool { shared.intake.mailbox.isFilled(at: number) }

    /// Lets the flood limit decide about the report that the worker has marked in the lane.
    ///
    /// - Returns: What the worker does next; nil to deliver the report.
    func admit(_ mark: FloodMark?, at number: Int64, for generation: UInt64) -> WorkerAction? {
        var isInLane = false
        let action = withMachine { machine in
            isInLane = machine.isInLane
            return isInLane ? machine.admit(mark, at: number, shared) : nil
        }
        return isInLane ? action : leaveLane(at: number, DispatchProgress(), isOver: false, for: generation)
    }

    /// Records the end of a report in the lane, and goes on to the next one.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - progress: Its finished dispatch.
    ///   - isTold: Whether anyone has to be told of its end.
    ///   - mayWait: Whether the worker may wait a moment for the next report.
    ///   - generation: The worker's.
    @inline(__always)
    func completeInLane(
        _ number: Int64, _ progress: DispatchProgress, isTold: Bool, mayWait: Bool, for generation: UInt64
    ) -> LaneStep {
        let (isFilled, hasFailures) = (isFilled(at: number + 1), !progress.failures.isEmpty)
        if !isFilled, mayWait, !hasFailures { return .wait }
        guard isFilled, !hasFailures, !shared.lane.isInterrupted(before: number + 1),
            let passage = shared.lane.pass(to: number + 1, after: progress.disposition, isTold: isTold)
        else { return .leave(leaveLane(at: number, progress, isOver: true, isTold: isTold, for: generation)) }
        shared.lane.count(passage)
        // Where a flood limit decides, the next report takes capacity until that has let it pass.
        if !shared.lane.isLimited { shared.intake.publishReleased(shared.intake.released + 1) }
        if isTold { return .tell }
        _ = shared.intake.mailbox.take(number)
        return shared.lane.isLimited ? .leave(.markInLane(number + 1)) : .next
    }

    /// Notes that everyone has been told of the report before the one that the worker is at in the lane.
    ///
    /// - Returns: What the worker does next; nil to deliver that one.
    @inline(__always)
    func toldInLane(at number: Int64, for generation: UInt64) -> WorkerAction? {
        if shared.lane.told(at: number) { return shared.lane.isLimited ? .markInLane(number) : nil }
        return leaveLane(at: number, DispatchProgress(), isOver: false, for: generation)
    }

    /// Takes the report that the worker is at out of the lane; or, if a shutdown has withdrawn the lane, stops the
    /// worker.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - progress: How far its dispatch has come.
    ///   - isOver: Whether its dispatch is finished.
    ///   - isTold: Whether anyone has to be told of it once it is finished.
    ///   - generation: The worker's.
    /// - Returns: What the worker does next.
    @inline(never)
    func leaveLane(
        at number: Int64, _ progress: DispatchProgress, isOver: Bool, isTold: Bool = false, for generation: UInt64
    ) -> WorkerAction {
        // The posting is taken under the lock, since its place has to be empty before the next one is emptied, but
        // destroyed outside: an error's deinitializer may run the user's code.
        let (posting, action) = withMachine {
            $0.leaveLane(at: number, progress, isOver: isOver, isTold: isTold, for: generation, shared)
        }
        withExtendedLifetime(posting) {}
        return action
    }

    // MARK: Limiting the time of actions

    /// Notes that an asynchronous action is about to begin; returns whether it may.
    func actionWillBegin(_ action: SupervisedAction, at now: Duration, for generation: UInt64) -> BeginAction {
        withMachine { $0.actionWillBegin(action, at: now, for: generation) }
    }

    /// Notes that the action has returned; returns whether its worker still had the report.
    func actionDidEnd(for generation: UInt64) -> Bool { withMachine { $0.actionDidEnd(for: generation) } }

    /// Checks the action in flight for the watchdog, and replaces its worker if the action is overdue.
    func watch(at now: Duration) -> WatchAction { replacingWorker { $0.watch(at: now) } }

    /// Stops the worker of a generation, and returns the next one's; nil if it was stopped already.
    func replaceWorker(_ generation: UInt64) -> UInt64? { replacingWorker { $0.replaceWorker(generation) } }

    private func replacingWorker<Result>(_ body: (inout BusStateMachine) -> Result) -> Result {
        withMachine { machine in
            defer { generation.store(machine.generation, ordering: .releasing) }
            return body(&machine)
        }
    }

    /// Returns whether the worker sleeps, and the caller has to wake it; the next caller gets false.
    func rouse() -> Bool { withMachine { $0.isAsleep(shared) } }

    // MARK: Running and ending

    func run() -> RunAction { withMachine { $0.run() } }

    func runReturned() { withMachine { $0.runReturned() } }

    /// Accepts no more posts; what is pending is still delivered.
    func close() -> CloseAction { withMachine { $0.close(ifIdleSince: nil, shared) } ?? .nothing }

    /// Accepts no more posts, if nothing is pending and nothing was delivered since a moment; else returns nil.
    ///
    /// - Parameter delivered: How many reports were delivered by that moment.
    func close(ifIdleSince delivered: Int64) -> CloseAction? {
        withMachine { $0.close(ifIdleSince: delivered, shared) }
    }

    /// Releases what a flood limit holds, from now on at once; returns whether the worker has to be woken.
    func windUp() -> Bool { withMachine { $0.windUp(shared) } }

    /// Notes that the bus's tasks have ended: from now on no more posts are accepted than the bus has room for.
    func tasksEnded() { withMachine { $0.tasksEnded(shared) } }

    /// Accepts no more posts once the tasks have ended.
    func hurry() { withMachine { $0.hurry(shared) } }

    /// Returns true if the bus is idle; else keeps a promise, which is fulfilled when it is.
    func waitUntilIdle(_ promise: Promise<Void>) -> Bool { withMachine { $0.waitUntilIdle(promise, shared) } }

    /// Lets a caller wait for everything posted before.
    ///
    /// - Parameter promise: Fulfilled when that is delivered; nil to ask whether there is anything to wait for.
    func flush(_ promise: Promise<Bool>?) -> FlushAction { withMachine { $0.flush(promise, shared) } }

    /// Removes a promise that was given to ``flush(_:)``.
    func forgetFlush(_ promise: Promise<Bool>) { withMachine { $0.forgetFlush(promise, shared) } }

    /// Ends the bus, and returns what was not delivered; nil if the bus had ended already.
    func takeBack() -> Leftovers? { replacingWorker { $0.takeBack(shared) } }

    /// Notes that the receiver has what was taken back; returns whether the bus ends now, or else its worker ends it.
    func leftoversWereReceived() -> Bool { withMachine { $0.leftoversWereReceived() } }

    /// Removes and returns all waiters, since the bus has ended.
    func takeWaiters() -> (idle: [Promise<Void>], flushes: [Promise<Bool>]) { withMachine { $0.takeWaiters() } }
}
