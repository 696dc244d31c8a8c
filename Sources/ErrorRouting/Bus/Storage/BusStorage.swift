import Synchronization

/// All of a bus's reports, from the post to the end, and everything that decides about them.
///
/// Owns the intake, the lane and the state machine, which no other type touches. Each method is an event; it returns
/// what the caller has to do after the lock is released. The storage has no tasks, no clock and no observers, and
/// writes no output:
///
///     post → intake ─┬─ the worker in the lane, without the lock ─┬─→ counts
///                    └─ state machine, under the lock ────────────┘
struct BusStorage: ~Copyable, Sendable {
    /// What posters write to; the worker publishes there how many reports are released.
    private let intake: BusIntake
    /// The reports that the worker delivers without the lock.
    private let lane = DeliveryLane()
    /// The flood limit while the worker is in the lane; nil for a bus without a flood limit.
    private let laneFlood: LaneFlood?
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
        intake = BusIntake(capacity: capacity, startingAt: start)
        laneFlood = floodLimit == nil ? nil : LaneFlood()
        machine = Locked(
            BusStateMachine(
                capacity: min(capacity, MailboxLimits.capacity),
                actionTimeLimit: actionTimeLimit,
                floodLimit: floodLimit,
                startingAt: start
            )
        )
    }

    /// Calls a closure with the machine under the lock; what leaves the machine is released after unlocking.
    private func withMachine<Result>(_ body: (inout BusStateMachine) -> Result) -> Result {
        let (result, former) = machine.withLock { machine in (body(&machine), machine.takeFormer()) }
        withExtendedLifetime(former) {}
        return result
    }

    // MARK: Posting

    /// Reserves a place for a report; the caller has to fill it.
    func reserve(for error: any Error) -> BusIntake.Reservation { intake.reserve(for: error) }

    /// Fills the place of a report that was accepted.
    ///
    /// If the place is refused, the bus was shut down meanwhile, and the caller has to call ``reclaim(_:)``.
    @inline(__always)
    func fill(_ number: Int64, with posting: consuming Posting) -> Mailbox<Posting>.FillAnswer {
        let isSpecial = posting.isSpecial
        return intake.mailbox.fill(number, isSpecial: isSpecial, with: posting)
    }

    /// Whether the place of a report is filled.
    @inline(__always)
    func isFilled(at number: Int64) -> Bool { intake.mailbox.isFilled(at: number) }

    /// Takes the posting out of a place that was refused, and counts its report as dropped.
    func reclaim(_ number: Int64) -> Posting { intake.reclaim(number) }

    /// Queues a notice of drops behind what is accepted up to now; returns false if the bus has ended.
    func announceDrops(at source: ErrorReport.Source) -> Bool { intake.announceDrops(at: source) }

    /// Follows ``announceDrops(at:)``.
    ///
    /// - Returns: Drops of which no notice will be delivered any more, and whether the worker has to be woken.
    func settleDrops(at source: ErrorReport.Source, isAnnounced: Bool) -> (untold: ErrorsDropped?, wakes: Bool) {
        withMachine { machine in
            guard machine.hasEnded else { return (nil, isAsleep(machine)) }
            // The bus has ended since it was full. If the notice was taken meanwhile, its taker tells of the drops.
            if isAnnounced, intake.takeNotice() == nil { return (nil, false) }
            let drops = intake.takeDrops(at: source)
            machine.countTold(drops)
            return (drops.total > 0 ? drops.notice : nil, false)
        }
    }

    /// Whether the worker sleeps, and the caller has to wake it; the next caller gets false.
    private func isAsleep(_ machine: borrowing BusStateMachine) -> Bool {
        // In the lane the worker is awake, and empties places of the mailbox without the lock.
        !lane.isOpen && intake.mailbox.rouse(at: machine.nextNumber)
    }

    // MARK: Counting

    /// The counts, which balance whenever they are read.
    var counts: BusCounts { withMachine { $0.counts(of: intake, lane) } }

    /// The counts, and whether a report is in delivery.
    var countsAndDelivery: (counts: BusCounts, isDelivering: Bool) {
        withMachine { ($0.counts(of: intake, lane), $0.isDelivering || lane.isOpen) }
    }

    /// The counts; nil if a thread holds the lock, possibly this one.
    var countsIfUnlocked: BusCounts? { machine.withLockIfAvailable { $0.counts(of: intake, lane) } }

    /// A lower bound of how many reports are pending, read without the lock.
    var leastPending: Int64 {
        let counts = intake.counts
        return counts.accepted - counts.reclaimed - counts.released
    }

    /// Calls a closure while holding the lock.
    func withLock<Result>(_ body: () -> Result) -> Result { withMachine { _ in body() } }

    /// Whether no more posts are accepted.
    var isClosed: Bool { intake.state.isClosed }

    var hasEnded: Bool { intake.state.hasEnded }

    /// Whether the worker of a generation has not been replaced.
    func isCurrent(_ generation: UInt64) -> Bool { self.generation.load(ordering: .acquiring) == generation }

    /// Whether the report with a sequence number is in delivery outside the lane; only asynchronous actions ask.
    func isDelivering(_ sequence: UInt64) -> Bool { withMachine { $0.isDelivering(sequence) } }

    // MARK: Delivering

    /// Returns what the worker of a generation does next.
    ///
    /// - Parameter now: The current moment, if the caller knows it: windows of the flood limit that end by then end.
    func next(for generation: UInt64, at now: Duration? = nil) -> WorkerAction {
        withMachine { next(for: generation, at: now, &$0) }
    }

    /// Records the end of a report that the worker of a generation delivered outside the lane.
    ///
    /// - Parameters:
    ///   - pending: The report; the caller retains it, so that it is not deallocated under the lock.
    ///   - progress: The finished dispatch of the report.
    ///   - generation: The worker's.
    ///   - isObserved: Whether observers have to be told of the report. If not, this takes the lock only once for the
    ///     end of the report and the beginning of the next one.
    func complete(
        _ pending: PendingReport,
        _ progress: DispatchProgress,
        for generation: UInt64,
        isObserved: Bool
    ) -> WorkerAction {
        withMachine { machine in
            machine.complete(progress, for: generation, isObserved: isObserved)
                ?? next(for: generation, at: nil, &machine)
        }
    }

    /// Stops a worker whose report was taken away.
    ///
    /// - Parameters:
    ///   - failures: The failures of the report's actions.
    ///   - known: How many of them the next worker of the report knows of.
    func superseded(telling failures: [ActionFailure], known: Int = 0) -> WorkerAction {
        withMachine { .stop(telling: $0.untold(failures, known: known)) }
    }

    /// Notes how far the report in delivery has come; returns whether the worker of the generation still has it.
    @discardableResult
    func goOn(from progress: DispatchProgress, for generation: UInt64) -> Bool {
        withMachine { $0.goOn(from: progress, for: generation) }
    }

    private func next(for generation: UInt64, at now: Duration?, _ machine: inout BusStateMachine) -> WorkerAction {
        let action = machine.next(for: generation, at: now, from: intake, lane)
        if case .deliverInLane = action { openLane(&machine) }
        return action
    }

    private func openLane(_ machine: inout BusStateMachine) {
        let (number, sequence, flood) = machine.openLane()
        unsafe laneFlood?.limiter = flood
        intake.publishReleased(machine.counters.released + (isLimitingFloods ? 0 : 1))
        lane.open(at: number, sequence: sequence, isLimited: isLimitingFloods)
    }

    // MARK: The lane, called by the worker alone

    /// Returns the report in delivery in the lane, which stays in the mailbox until the worker has gone on.
    @inline(__always)
    func posting(inLaneAt number: Int64) -> UnsafePointer<Posting> {
        unsafe UnsafePointer(intake.mailbox.element(at: number))
    }

    /// Returns the sequence number of the report in delivery in the lane.
    @inline(__always)
    func sequence(inLaneAt number: Int64) -> UInt64 { lane.sequence(of: number) }

    /// Ends the report in delivery in the lane, and begins the next one.
    ///
    /// - Parameters:
    ///   - number: The report in delivery.
    ///   - disposition: Its end.
    ///   - isObserved: Whether observers are told of its end before the worker looks at the next one; the caller then
    ///     calls ``takeFromLane(_:)`` and ``announcedInLane(at:)``.
    @inline(__always)
    func goOnInLane(
        from number: Int64,
        _ disposition: HandleOutcome.Disposition,
        isObserved: Bool
    ) -> DeliveryLane.Step {
        let step = lane.goOn(
            from: number, disposition, isObserved: isObserved, isLimited: isLimitingFloods, in: intake)
        if step == .next, !isObserved { intake.mailbox.empty(number) }
        return step
    }

    /// Takes the report before the one in delivery out of the lane, for observers.
    @inline(__always)
    func takeFromLane(_ number: Int64) -> Posting? { intake.mailbox.take(number) }

    /// Ends a report in the lane and begins the next one: the first half of ``goOnInLane(from:_:isObserved:)``, for
    /// tests that stop a worker between the halves.
    @inline(__always)
    func passInLane(
        to number: Int64,
        _ disposition: HandleOutcome.Disposition,
        isObserved: Bool
    ) -> DeliveryLane.Passage? {
        lane.pass(to: number, disposition, isObserved: isObserved, isLimited: isLimitingFloods, in: intake)
    }

    /// Counts the report that has ended, and empties its place: the second half, for the same tests.
    @inline(__always)
    func countInLane(_ passage: DeliveryLane.Passage) {
        lane.count(passage, in: intake)
        intake.mailbox.empty(passage.number - 1)
    }

    /// Notes that observers have been told of the report before the one in delivery in the lane.
    ///
    /// - Returns: Whether the lane was not withdrawn.
    @inline(__always)
    func announcedInLane(at number: Int64) -> Bool { lane.announced(at: number) }

    /// Whether a flood limit decides about each report before its delivery.
    @inline(__always)
    var isLimitingFloods: Bool { laneFlood != nil }

    /// Asks the flood limit about the report that the worker has come to in the lane.
    ///
    /// - Returns: Whether the report passes, and is in delivery; if not, the worker has to leave the lane. Nil if the
    ///   lane was withdrawn.
    func admitInLane(_ number: Int64, _ mark: FloodMark) -> Bool? {
        guard unsafe laneFlood?.limiter?.pass(mark) == true else { return false }
        return lane.admitted(at: number, in: intake) ? true : nil
    }

    /// Whether the report after one can be delivered in the lane; nil while its place is not filled.
    @inline(__always)
    func laneGoesOn(after number: Int64) -> Bool? { DeliveryLane.goesOn(after: number, in: intake) }

    /// Closes the lane behind a report that is the last one there, or needs more than delivery.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - progress: How far its dispatch has come.
    ///   - isOver: Whether its dispatch is finished.
    ///   - mark: The report's flood mark, if the flood limit does not let the report pass.
    ///   - isObserved: Whether observers have to be told of it once it is finished.
    ///   - generation: The worker's.
    /// - Returns: What the worker does next.
    func leaveLane(
        at number: Int64,
        _ progress: DispatchProgress,
        isOver: Bool,
        mark: FloodMark? = nil,
        isObserved: Bool,
        for generation: UInt64
    ) -> WorkerAction {
        // The posting is taken under the lock, since its place has to be empty before the next one is emptied, but
        // destroyed outside: an error's deinitializer may run the user's code.
        let (posting, action) = withMachine { machine -> (Posting?, WorkerAction?) in
            guard let stop = lane.close(), let posting = intake.mailbox.take(stop.number) else { return (nil, nil) }
            machine.laneClosed(at: stop, unsafe laneFlood?.limiter.take())
            if stop.isUnadmitted {
                let pending = PendingReport(posting)
                pending.floodMark = mark
                machine.postpone(pending)
                return (posting, next(for: generation, at: nil, &machine))
            }
            if isOver, !isObserved, progress.failures.isEmpty {
                machine.count(progress.disposition)
                return (posting, next(for: generation, at: nil, &machine))
            }
            let pending = machine.deliverFromLane(posting, from: isOver ? nil : progress)
            guard isOver else { return (posting, .deliver(pending, from: progress)) }
            let action = machine.complete(progress, for: generation, isObserved: isObserved)
            return (posting, action ?? next(for: generation, at: nil, &machine))
        }
        defer { withExtendedLifetime(posting) {} }
        return action ?? leaveWithdrawnLane(at: number, telling: progress.failures, for: generation)
    }

    /// Leaves a lane that a shutdown has withdrawn.
    ///
    /// The shutdown has a copy of the report that the worker was at. Its place is emptied here, since nobody else looks
    /// at it any more, and it would retain the report as long as the bus lives.
    func leaveWithdrawnLane(
        at number: Int64,
        telling failures: [ActionFailure],
        for generation: UInt64
    ) -> WorkerAction {
        // Taken under the lock, where the shutdown makes its copy; destroyed outside.
        let posting = withLock { intake.mailbox.shut(number) }
        withExtendedLifetime(posting) {}
        // If the worker was telling observers of the report before, the bus's end waits for this call.
        if failures.isEmpty { return next(for: generation) }
        return superseded(telling: failures)
    }

    // MARK: Limiting the time of actions

    /// Notes that an asynchronous action is about to begin; returns whether it may.
    func actionWillBegin(
        _ action: SupervisedAction, at now: Duration, for generation: UInt64
    ) -> BusStateMachine.BeginAnswer {
        withMachine { $0.actionWillBegin(action, at: now, for: generation) }
    }

    /// Notes that the action has returned; returns whether its worker still had the report.
    func actionDidEnd(for generation: UInt64) -> Bool { withMachine { $0.actionDidEnd(for: generation) } }

    /// Checks the action in flight for the watchdog, and replaces its worker if the action is overdue.
    func watch(at now: Duration) -> BusStateMachine.WatchAnswer {
        withMachine { machine in
            let answer = machine.watch(at: now)
            generation.store(machine.generation, ordering: .releasing)
            return answer
        }
    }

    /// Stops the worker of a generation, and returns the next one's; nil if it was stopped already.
    func replaceWorker(_ generation: UInt64) -> UInt64? {
        withMachine { machine in
            let next = machine.replaceWorker(generation)
            self.generation.store(machine.generation, ordering: .releasing)
            return next
        }
    }

    /// Returns whether the worker sleeps, and the caller has to wake it; the next caller gets false.
    func rouse() -> Bool { withMachine { isAsleep($0) } }

    // MARK: Running and ending

    func run() -> BusStateMachine.RunAnswer { withMachine { $0.run() } }

    func runReturned() { withMachine { $0.runReturned() } }

    /// Accepts no more posts; what is pending is still delivered.
    func close() -> CloseAction { withMachine { closed(intake.close(), &$0) } }

    /// Accepts no more posts, if nothing is pending and nothing was delivered since a moment; else returns nil.
    ///
    /// - Parameter delivered: How many reports were delivered by that moment.
    func close(ifIdleSince delivered: Int64) -> CloseAction? {
        withMachine { machine in
            let state = intake.state
            if state.isClosed { return .nothing }
            guard isIdle(machine), machine.counts(of: intake, lane).delivered == delivered,
                intake.close(ifStill: state)
            else { return nil }
            return closed(true, &machine)
        }
    }

    /// Whether nothing is pending, and everyone has been told of the last report.
    private func isIdle(_ machine: borrowing BusStateMachine) -> Bool {
        !machine.isAnnouncing && (machine.hasEnded || machine.counts(of: intake, lane).pending == 0)
    }

    /// Returns what follows once the intake is closed.
    ///
    /// - Parameter isFirst: Whether this call has closed it.
    private func closed(_ isFirst: Bool, _ machine: inout BusStateMachine) -> CloseAction {
        guard isFirst else { return .nothing }
        if machine.runPhase == .notStarted, machine.counts(of: intake, lane).pending == 0, intake.end() {
            machine.end()
            return .end
        }
        return isAsleep(machine) ? .wake : .nothing
    }

    /// Releases what a flood limit holds, from now on at once; returns whether the worker has to be woken.
    func windUp() -> Bool {
        withMachine { machine in
            machine.windUp()
            return isAsleep(machine)
        }
    }

    /// Notes that the bus's tasks have ended: from now on no more posts are accepted than the bus has room for.
    func tasksEnded() { withMachine { machine in intake.accept(atMost: machine.tasksEnded()) } }

    /// Accepts no more posts once the tasks have ended.
    func hurry() { withMachine { machine in if machine.hurry() { intake.accept(atMost: 0) } } }

    /// Returns true if the bus is idle; else keeps a promise, which is fulfilled when it is.
    func waitUntilIdle(_ promise: Promise<Void>) -> Bool {
        withMachine { machine in
            if isIdle(machine) { return true }
            machine.waiters.wait(promise)
            return false
        }
    }

    /// Lets a caller wait for everything posted before.
    ///
    /// - Parameter promise: Fulfilled when that is delivered; nil to ask whether there is anything to wait for.
    func flush(_ promise: Promise<Bool>?) -> FlushAction {
        withMachine { machine in
            if isIdle(machine) { return .idle }
            guard let promise else { return .busy }
            machine.waiters.wait(for: promise, before: intake.state.accepted)
            intake.interruptLane(before: machine.waiters.firstFlush)
            return .waits(wakes: isAsleep(machine))
        }
    }

    /// Removes a promise that was given to ``flush(_:)``.
    func forgetFlush(_ promise: Promise<Bool>) {
        withMachine { machine in
            machine.waiters.forget(promise)
            intake.interruptLane(before: machine.waiters.firstFlush)
        }
    }

    /// Ends the bus, and returns what was not delivered, nil if the bus had ended already, and the worker's generation.
    func takeBack() -> (left: BusStateMachine.Leftovers?, worker: UInt64) {
        withMachine { machine in
            let worker = machine.generation
            if machine.hasEnded { return (nil, worker) }
            let left = machine.takeBack(from: intake, laneStop: lane.withdraw())
            intake.publishReleased(machine.counters.released)
            generation.store(machine.generation, ordering: .releasing)
            return (left, worker)
        }
    }

    /// Notes that the receiver has what was taken back; returns whether the bus ends now, or else its worker ends it.
    func leftoversWereReceived() -> Bool { withMachine { $0.leftoversWereReceived() } }

    /// Removes and returns all waiters, since the bus has ended.
    func takeWaiters() -> (idle: [Promise<Void>], flushes: [Promise<Bool>]) {
        withMachine { ($0.waiters.takeIdle(), $0.waiters.takeFlushes(before: .max)) }
    }
}
