import Synchronization

/// All of a bus's reports from post to completion, and the state that determines what happens to them.
///
/// Callers use the intake without a lock. All other operations are events of the state machine under the lock. The
/// storage has no tasks or clock. It lists the observers but doesn't call them, and it doesn't write output.
struct BusStorage: ~Copyable, Sendable {
    /// The place of the intake, which the machine uses under the lock; callers use it without the lock.
    private let intakePlace: Place<BusIntake>
    /// The part that callers write to.
    var intake: BusIntake { @inline(__always) _read { yield intakePlace.value } }
    private let machine: Locked<BusStateMachine>
    /// The report in delivery, for the worker.
    let delivery: Delivery

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

    // MARK: Callers, without the lock unless they announce a notice of drops

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
        /// The bus has ended: write the drops to the last resort.
        indirect case write(Posting)
    }

    /// Counts an error as dropped.
    ///
    /// Only the first drop since the last notice takes the lock, to announce a notice.
    func drop(_ type: any Error.Type, at source: ErrorReport.Source) -> DropAction {
        intake.drops.add(type) ? apply { $0.announceDrops(at: source) } : .nothing
    }

    /// Returns whether the report with a number is in its slot; doesn't take the lock.
    func hasReport(at number: Int64) -> Bool { intake.mailbox.isFilled(number) }

    // MARK: The machine, under the lock

    /// Applies one event of the machine, or reads from it; the caller carries out the returned step after unlocking.
    @inline(__always)
    func apply<Result>(_ event: (inout BusStateMachine) -> Result) -> Result { machine.withLock(event) }

    /// Like ``apply(_:)``; returns nil if a thread, possibly the calling thread, holds the lock.
    func applyIfUnlocked<Result>(_ event: (inout BusStateMachine) -> Result) -> Result? {
        machine.withLockIfAvailable(event)
    }

    /// Whether the bus no longer accepts posts; read without the lock.
    var isClosed: Bool { intake.state.isClosed }

    var hasEnded: Bool { apply { $0.hasEnded } }
}
