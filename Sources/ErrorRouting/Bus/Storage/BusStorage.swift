import Synchronization

/// The heart of a bus: every report from its post to its end, and whatever decides about it.
///
/// Intake, lane and state machine as one unit, which nobody else touches. Each method is an event; what it returns is
/// what whoever calls it has to do, after the lock is let go of. It has no tasks, no clock and no observers, and writes
/// nowhere:
///
///     post → intake ─┬─ the worker in the lane, without the lock ─┬─→ counts
///                    └─ state machine, under the lock ────────────┘
struct BusStorage: ~Copyable, Sendable {
    /// What posters touch; the worker tells there how far it is.
    private let intake: BusIntake
    /// What the worker has in hand while it needs nobody's leave.
    private let lane = DeliveryLane()
    /// The flood limit while the worker is in the lane; nil where there is none.
    private let laneFlood: LaneFlood?
    private let machine: Locked<BusStateMachine>
    /// The machine's generation, readable without the lock.
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

    // MARK: Posting

    /// Asks for a place for a report, which is then to be filled.
    func reserve(for error: any Error) -> BusIntake.Reservation { intake.reserve(for: error) }

    /// Fills the place of a report that was accepted.
    ///
    /// Where it is refused, the bus was shut down since: what was posted is to be taken back.
    @inline(__always)
    func fill(_ number: Int64, isSpecial: Bool, with posting: consuming Posting) -> Mailbox<Posting>.FillAnswer {
        intake.fill(number, isSpecial: isSpecial, with: posting)
    }

    /// Whether the place of a report is filled.
    @inline(__always)
    func isFilled(at number: Int64) -> Bool { intake.mailbox.isFilled(at: number) }

    /// What was to fill a place, and was refused.
    func takeBack(_ number: Int64) -> Posting { intake.mailbox.takeBack(number) }

    /// Lets a notice of drops follow what is accepted up to now; if not, the bus has ended.
    func announceDrops(at source: ErrorReport.Source) -> Bool {
        intake.announce(PendingReport(noticeOfDropsAt: source))
    }

    /// A notice was announced, or could not be.
    ///
    /// - Returns: What nobody is left to deliver a notice of, and whether the worker has to be woken.
    func settleDrops(at source: ErrorReport.Source, isAnnounced: Bool) -> (untold: ErrorsDropped?, wakes: Bool) {
        machine.withLock { machine in
            guard machine.hasEnded else { return (nil, isAsleep(machine)) }
            // It has ended since it was full. Unless a shutdown has it, nobody is left who could deliver the notice.
            if isAnnounced, intake.takeNotice() == nil { return (nil, false) }
            let drops = intake.takeDrops(for: PendingReport(noticeOfDropsAt: source))
            machine.told(of: drops)
            return (drops.total > 0 ? drops.notice : nil, false)
        }
    }

    /// Whether the worker sleeps; then it has to be woken by whoever asks.
    private func isAsleep(_ machine: borrowing BusStateMachine) -> Bool {
        // In the lane it is awake, and takes places out of the mailbox without the lock.
        !lane.isOpen && intake.mailbox.rouse(at: machine.nextNumber)
    }

    // MARK: Counting

    /// The counts, in which the law holds whenever they are read.
    var counts: BusCounts { machine.withLock { counted($0) } }

    /// The counts, and whether a report is in delivery.
    var countsAndDelivery: (counts: BusCounts, isDelivering: Bool) {
        machine.withLock { (counted($0), $0.isDelivering || lane.isOpen) }
    }

    /// The counts; nil where a thread holds the lock, this one perhaps.
    var countsIfUnlocked: BusCounts? { machine.withLockIfAvailable { counted($0) } }

    /// How many reports are at least pending, as far as can be told without the lock.
    var leastPending: Int64 {
        let counts = intake.counts
        return counts.accepted - counts.withdrawn - counts.released
    }

    private func counted(_ machine: borrowing BusStateMachine) -> BusCounts {
        // What was accepted is read before the ends and after them.
        let before = intake.state
        let lane = lane.counts
        return machine.counts(intake.counts(since: before), lane)
    }

    /// Keeps all events out while a closure is called.
    func withLock<Result>(_ body: () -> Result) -> Result { machine.withLock { _ in body() } }

    /// Whether it accepts no more.
    var isClosed: Bool { intake.state.isClosed }

    var hasEnded: Bool { intake.state.hasEnded }

    /// Whether the worker of a generation is the one that counts.
    func isCurrent(_ generation: UInt64) -> Bool { self.generation.load(ordering: .acquiring) == generation }

    /// Whether the report of a number is in delivery, outside the lane: only asynchronous actions ask.
    func isDelivering(_ sequence: UInt64) -> Bool { machine.withLock { $0.isDelivering(sequence) } }

    // MARK: Delivering

    /// What the worker of a generation does next.
    ///
    /// - Parameter now: The moment, where it is known; windows that have ended by then are over.
    func next(for generation: UInt64, at now: Duration? = nil) -> WorkerAction {
        machine.withLock { next(for: generation, at: now, &$0) }
    }

    /// The worker of a generation has brought a report to its end.
    ///
    /// - Parameters:
    ///   - pending: The report, which lives until this returns, so that it does not end under the lock.
    ///   - progress: How far it came.
    ///   - generation: The worker's.
    ///   - isObserved: Whether anyone has to be told of the report. If not, one lock is enough for both, this one's end
    ///     and the next one's beginning.
    func complete(
        _ pending: PendingReport,
        _ progress: DispatchProgress,
        for generation: UInt64,
        isObserved: Bool
    ) -> WorkerAction {
        machine.withLock { machine in
            machine.complete(progress, for: generation, isObserved: isObserved)
                ?? next(for: generation, at: nil, &machine)
        }
    }

    /// The report was taken away from its worker, which stops.
    ///
    /// - Parameters:
    ///   - failures: What has failed at it.
    ///   - known: How many of them whoever goes on with the report knows of.
    func superseded(telling failures: [ActionFailure], known: Int = 0) -> WorkerAction {
        if failures.isEmpty { return .stop(telling: []) }
        return machine.withLock { .stop(telling: $0.untold(failures, known: known)) }
    }

    /// The report in delivery goes on from here.
    func goOn(from progress: DispatchProgress, for generation: UInt64) {
        machine.withLock { $0.goOn(from: progress, for: generation) }
    }

    private func next(for generation: UInt64, at now: Duration?, _ machine: inout BusStateMachine) -> WorkerAction {
        while true {
            if let action = released(machine.next(for: generation), machine) { return action }
            let number = machine.nextNumber
            if let action = released(take(&machine), machine) { return action }
            if machine.nextNumber != number { continue }
            if let promises = flushed(&machine) { return .flushed(promises) }
            if canUseLane(machine) {
                let (number, sequence, flood) = machine.beginInLane()
                unsafe laneFlood?.limiter = flood
                intake.release(machine.counters.released + (isLimitingFloods ? 0 : 1))
                lane.open(at: number, sequence: sequence, isLimited: isLimitingFloods)
                return .deliverInLane(number)
            }
            if isFilled(at: machine.nextNumber) { continue }
            if machine.isHolding {
                let isEnding = isClosed || machine.isWindingUp
                guard isEnding || now != nil else { return .readClock }
                if let action = released(machine.release(endingBy: isEnding ? nil : now), machine) { return action }
            }
            if intake.end() {
                machine.end()
                return .end
            }
            guard intake.mailbox.sleep(at: machine.nextNumber) else { continue }
            let isIdle = counted(machine).pending == 0
            return .sleep(isIdle ? machine.waiters.takeIdle() : [], alarm: machine.nextAlarm())
        }
    }

    /// Tells posters of the room there is, unless another worker may be in the lane, and tell them itself.
    private func released(_ action: WorkerAction?, _ machine: borrowing BusStateMachine) -> WorkerAction? {
        if case .stop = action { return action }
        intake.release(machine.counters.released)
        return action
    }

    /// Whether nothing is to be done with the next report but deliver it, as far as can be seen.
    private func canUseLane(_ machine: borrowing BusStateMachine) -> Bool {
        !machine.isHolding && intake.mailbox.isPlain(at: machine.nextNumber)
    }

    /// Takes what is next in the intake, if it is more than a report to deliver.
    private func take(_ machine: inout BusStateMachine) -> WorkerAction? {
        if intake.hasNotice(before: machine.nextNumber), let notice = intake.takeNotice() {
            return machine.take(notice, telling: intake.takeDrops(for: notice))
        }
        if machine.waiters.hasFlush(before: machine.nextNumber) { return machine.releaseHeld() }
        if canUseLane(machine) { return nil }
        // A notice goes before what was accepted after it, also where what is before it is held.
        while !intake.hasNotice(before: machine.nextNumber), !machine.waiters.hasFlush(before: machine.nextNumber),
            let posting = intake.mailbox.take(machine.nextNumber)
        {
            if let action = machine.take(posting) { return action }
        }
        return nil
    }

    /// Those who wait for what was posted before the next report, which is delivered: nobody else's are left to take.
    private func flushed(_ machine: inout BusStateMachine) -> [Promise<Bool>]? {
        guard machine.waiters.hasFlush(before: machine.nextNumber) else { return nil }
        let promises = machine.waiters.takeFlushes(before: machine.nextNumber)
        intake.leaveLane(before: machine.waiters.firstFlush)
        return promises
    }

    // MARK: The lane, which the worker alone is in

    /// What is in delivery in the lane: it stays where it lies until the worker has gone on.
    @inline(__always)
    func posting(inLaneAt number: Int64) -> UnsafePointer<Posting> {
        unsafe UnsafePointer(intake.mailbox.element(at: number))
    }

    /// What the report of a number, which is in delivery in the lane, counts as in the order of delivery.
    @inline(__always)
    func sequence(inLaneAt number: Int64) -> UInt64 { lane.sequence(of: number) }

    /// Ends the report in delivery in the lane, and begins the next one.
    ///
    /// - Parameters:
    ///   - number: The report in delivery.
    ///   - disposition: The end that it has come to.
    ///   - isObserved: Whether observers are to be told of it, before the next one is looked at; then
    ///     ``takeFromLane(_:)`` and ``announcedInLane(at:)`` follow.
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

    /// Takes out what was in delivery in the lane before the report that is now, for observers.
    @inline(__always)
    func takeFromLane(_ number: Int64) -> Posting? { intake.mailbox.take(number) }

    /// Begins a report in the lane, and ends the one before: the first half of ``goOnInLane(from:_:isObserved:)``.
    @inline(__always)
    func beginInLane(
        _ number: Int64,
        _ disposition: HandleOutcome.Disposition,
        isObserved: Bool
    ) -> DeliveryLane.Passage? {
        lane.begin(number, disposition, isObserved: isObserved, isLimited: isLimitingFloods, in: intake)
    }

    /// The second half: counts the one before, and empties its place.
    @inline(__always)
    func complete(_ passage: DeliveryLane.Passage) {
        lane.complete(passage, in: intake)
        intake.mailbox.empty(passage.number - 1)
    }

    /// Observers have been told of the report before the one that is in delivery in the lane.
    ///
    /// - Returns: Whether the lane is still there.
    @inline(__always)
    func announcedInLane(at number: Int64) -> Bool { lane.announced(at: number) }

    /// Whether a flood limit has to let each report pass before it is delivered.
    @inline(__always)
    var isLimitingFloods: Bool { laneFlood != nil }

    /// The flood limit looks at the report that the worker has come to in the lane.
    ///
    /// - Returns: Whether it passes, and is in delivery now: if not, the lane is to be left; nil if it was withdrawn.
    func admitInLane(_ number: Int64, _ mark: FloodMark) -> Bool? {
        guard unsafe laneFlood?.limiter?.pass(mark) == true else { return false }
        return lane.admitted(at: number, in: intake) ? true : nil
    }

    /// Whether the lane goes on with the report after one; nil while that is not there.
    @inline(__always)
    func laneGoesOn(after number: Int64) -> Bool? { DeliveryLane.goesOn(after: number, in: intake) }

    /// The worker is at the last report in the lane, or at one that needs more than delivery.
    ///
    /// - Parameters:
    ///   - number: The report.
    ///   - progress: How far it came.
    ///   - isOver: Whether it came to its end.
    ///   - mark: What a flood limit goes by, if that was found out and it does not pass.
    ///   - isObserved: Whether anyone has to be told of it then.
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
        // The posting is taken out, since its place has to be empty before the next one is, but ends outside the lock:
        // an error's end may run code of the user's.
        let (posting, action) = machine.withLock { machine -> (Posting?, WorkerAction?) in
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

    /// A shutdown has taken the lane away, and has a copy of the report that the worker was at: nobody looks at its
    /// place any more, which would else keep the report as long as there is the bus.
    func leaveWithdrawnLane(
        at number: Int64,
        telling failures: [ActionFailure],
        for generation: UInt64
    ) -> WorkerAction {
        // Under the lock, since the copy is made there; what is let go ends outside.
        let posting = withLock { intake.mailbox.shut(number) }
        withExtendedLifetime(posting) {}
        // It may have been telling observers of the report before, for which the end has waited.
        if failures.isEmpty { return next(for: generation) }
        return superseded(telling: failures)
    }

    // MARK: Limiting the time of actions

    /// An asynchronous action is about to begin.
    func actionWillBegin(
        _ rule: Rule,
        _ progress: DispatchProgress,
        _ report: ErrorReport,
        at now: Duration,
        for generation: UInt64
    ) -> BusStateMachine.BeginAnswer {
        machine.withLock { $0.actionWillBegin(rule, progress, report, at: now, for: generation) }
    }

    /// The action that began has ended; returns whether it still had its report.
    func actionDidEnd(for generation: UInt64) -> Bool { machine.withLock { $0.actionDidEnd(for: generation) } }

    /// The watchdog looks at the action in flight.
    func watch(at now: Duration) -> BusStateMachine.WatchAnswer {
        machine.withLock { machine in
            let answer = machine.watch(at: now)
            generation.store(machine.generation, ordering: .releasing)
            return answer
        }
    }

    /// Tells the worker of a generation to stop, and returns the next one's generation.
    func replaceWorker(_ generation: UInt64) -> UInt64? {
        machine.withLock { machine in
            let next = machine.replaceWorker(generation)
            self.generation.store(machine.generation, ordering: .releasing)
            return next
        }
    }

    /// The flood limit's alarm has rung; returns whether the worker has to be woken.
    func alarmRang() -> Bool {
        machine.withLock { machine in
            machine.alarmRang()
            return isAsleep(machine)
        }
    }

    // MARK: Running and ending

    func run() -> BusStateMachine.RunAnswer { machine.withLock { $0.run() } }

    func runReturned() { machine.withLock { $0.runReturned() } }

    /// Accepts no more; what is pending is still delivered.
    func close() -> CloseAction { machine.withLock { closed(intake.close(), &$0) } }

    /// Accepts no more if nothing is pending, and nothing was posted since so many had been; nil if there was.
    func close(ifIdleSince posted: Int64) -> CloseAction? {
        machine.withLock { machine in
            let state = intake.state
            if state.isClosed { return .nothing }
            let counts = counted(machine)
            guard counts.pending == 0, counts.posted == posted, intake.close(ifStill: state) else { return nil }
            return closed(true, &machine)
        }
    }

    /// What follows when posting has been ended, or was already.
    private func closed(_ isFirst: Bool, _ machine: inout BusStateMachine) -> CloseAction {
        guard isFirst else { return .nothing }
        if machine.runPhase == .notStarted, counted(machine).pending == 0, intake.end() {
            machine.end()
            return .end
        }
        return isAsleep(machine) ? .wake : .nothing
    }

    /// What a flood limit holds is let go at once from now on; returns whether the worker has to be woken.
    func windUp() -> Bool {
        machine.withLock { machine in
            machine.windUp()
            return isAsleep(machine)
        }
    }

    /// No more is accepted than there is room for, since the tasks have ended.
    func tasksEnded() { machine.withLock { machine in intake.accept(atMost: machine.tasksEnded()) } }

    /// Nothing more is accepted once the tasks have ended.
    func hurry() { machine.withLock { machine in if machine.hurry() { intake.accept(atMost: 0) } } }

    /// Somebody waits until nothing is pending; returns whether that is so now, and the promise is not kept.
    func waitUntilIdle(_ promise: Promise<Void>) -> Bool {
        machine.withLock { machine in
            if machine.hasEnded || counted(machine).pending == 0 { return true }
            machine.waiters.wait(promise)
            return false
        }
    }

    /// Somebody waits for what was posted before.
    ///
    /// - Parameter promise: Fulfilled when it is delivered; nil to ask whether there is anything to wait for.
    func flush(_ promise: Promise<Bool>?) -> FlushAction {
        machine.withLock { machine in
            // While the last report is being announced, its observers and who waits for it have not heard of it yet.
            if !machine.isAnnouncing, machine.hasEnded || counted(machine).pending == 0 { return .idle }
            guard let promise else { return .busy }
            machine.waiters.wait(for: promise, before: intake.state.accepted)
            intake.leaveLane(before: machine.waiters.firstFlush)
            return .waits(wakes: isAsleep(machine))
        }
    }

    /// Nobody waits by this promise any more.
    func forgetFlush(_ promise: Promise<Bool>) {
        machine.withLock { machine in
            machine.waiters.forget(promise)
            intake.leaveLane(before: machine.waiters.firstFlush)
        }
    }

    /// Ends the bus, and returns what was not delivered, nil if it has ended already, and which worker was at it.
    func takeBack() -> (left: BusStateMachine.Leftovers?, worker: UInt64) {
        machine.withLock { machine in
            let worker = machine.generation
            if machine.hasEnded { return (nil, worker) }
            let withdrawn = lane.withdraw()
            if let withdrawn {
                // The worker may be asking the flood limit, which holds nothing.
                machine.laneClosed(at: withdrawn, nil)
                // A copy, since the worker still looks at what lies there.
                let posting = unsafe intake.mailbox.element(at: withdrawn.number).pointee
                if withdrawn.isUnadmitted {
                    machine.postpone(PendingReport(posting))
                } else {
                    _ = machine.deliverFromLane(posting)
                }
            }
            let left = machine.takeBack(shutIntake(&machine), isAnnouncing: withdrawn?.isAnnouncing ?? false)
            intake.release(machine.counters.released)
            generation.store(machine.generation, ordering: .releasing)
            return (left, worker)
        }
    }

    /// What is still in the intake, which takes no more.
    private func shutIntake(_ machine: inout BusStateMachine) -> [PendingReport] {
        var rest: [PendingReport] = []
        let end = intake.shut()
        for number in machine.nextNumber...max(end, machine.nextNumber) {
            if intake.hasNotice(before: number), let notice = intake.takeNotice() {
                machine.tell(intake.takeDrops(for: notice), by: notice)
                rest.append(notice)
            }
            // A place that is not filled yet is refused to its poster.
            if number < end, let posting = intake.mailbox.shut(number) { rest.append(PendingReport(posting)) }
        }
        return rest
    }

    /// What was taken back is in its receiver's hands; returns whether the bus ends now, or its worker ends it.
    func leftoversWereReceived() -> Bool { machine.withLock { $0.leftoversWereReceived() } }

    /// Those who wait for what will not come any more, since the bus has ended.
    func takeWaiters() -> (idle: [Promise<Void>], flushes: [Promise<Bool>]) {
        machine.withLock { ($0.waiters.takeIdle(), $0.waiters.takeFlushes(before: .max)) }
    }
}
