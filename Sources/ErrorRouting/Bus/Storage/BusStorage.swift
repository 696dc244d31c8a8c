import Synchronization

/// All of a bus's reports from post to completion, with the state that decides about them.
///
/// Callers use the intake without a lock. All other operations are events of the state machine under the lock. The
/// storage has no tasks, no clock, and no observers, and it writes no output.
struct BusStorage: ~Copyable, Sendable {
    /// The part that callers write to.
    let intake: BusIntake
    private let machine: Locked<BusStateMachine>
    /// A copy of the machine's generation that can be read without the lock.
    ///
    /// A replaced worker that reads it also sees the cause of its replacement.
    private let generation = Padded<UInt64>(0)

    /// - Parameters:
    ///   - capacity: The number of reports that can be pending; a number above ``BusIntake/maximumCapacity`` counts as
    ///     that maximum.
    ///   - actionTimeLimit: The time limit of an asynchronous action.
    ///   - floodLimit: The limit on errors of a kind.
    ///   - start: The first report's number; all reports before it count as posted and handled.
    init(capacity: Int, actionTimeLimit: Duration?, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        intake = BusIntake(capacity: capacity, startingAt: start)
        machine = Locked(
            BusStateMachine(
                capacity: capacity, actionTimeLimit: actionTimeLimit, floodLimit: floodLimit, startingAt: start))
    }

    // MARK: Events without the lock

    /// Accepts a report, if there is room.
    @inline(__always)
    func post(_ posting: consuming Posting) -> PostAction {
        switch intake.reserve() {
        case .accepted(let number):
            switch intake.mailbox.fill(number, with: posting) {
            case .filled: .nothing
            case .filledForSleeper: .wake
            // The bus was shut down before the slot was filled.
            case .refused: .refuse(intake.mailbox.reclaim(number))
            }
        case .full: .drop
        case .closed: .refuse(posting)
        }
    }

    /// Counts an error as dropped; the first drop since the last notice also announces a notice behind the accepted
    /// reports.
    func drop(_ type: any Error.Type, at source: ErrorReport.Source) -> DropAction {
        guard intake.drops.add(type) else { return .nothing }
        return intake.announceDrops(at: source) ? .wake : .writeDrops
    }

    /// Ends the notification of a report; returns whether the worker must then end the bus.
    func notificationDidEnd() -> Bool { intake.notification.end() }

    /// Records that the receiver has the removed reports, before anyone is notified of the end.
    ///
    /// - Returns: Whether the bus ends now; if not, the worker ends it once it has notified the observers of a report.
    func leftoversWereReceived() -> Bool { !intake.notification.makeLast() }

    // MARK: Events under the lock

    /// Performs an event under the lock; values that leave the machine are released after unlocking, because that might
    /// deallocate user objects.
    @inline(__always)
    func perform<Result>(_ event: (inout BusStateMachine, borrowing BusIntake) -> Result) -> Result {
        var former: Checkpoint?
        defer { withExtendedLifetime(former) {} }
        return machine.withLock { machine in
            if machine.relay.checkpoint != nil { former = machine.relay.checkpoint }
            let worker = machine.relay.generation
            defer { if machine.relay.generation != worker { generation.set(machine.relay.generation) } }
            return event(&machine, intake)
        }
    }

    /// Performs an event that needs no intake.
    @inline(__always)
    func perform<Result>(_ event: (inout BusStateMachine) -> Result) -> Result {
        perform { machine, _ in event(&machine) }
    }

    /// Performs an event, unless a thread, possibly this one, holds the lock; nil if one does.
    ///
    /// It repeats `perform`, because a function that both call would cost each post 17 instructions.
    func performIfUnlocked<Result>(_ event: (inout BusStateMachine, borrowing BusIntake) -> Result) -> Result? {
        var former: Checkpoint?
        defer { withExtendedLifetime(former) {} }
        return machine.withLockIfAvailable { machine in
            former = machine.relay.checkpoint
            let worker = machine.relay.generation
            defer { if machine.relay.generation != worker { generation.set(machine.relay.generation) } }
            return event(&machine, intake)
        }
    }

    /// Frees the slot of a report in delivery and returns the posting.
    ///
    /// The report's worker calls this without the lock, because an error's deinitializer might run user code.
    @inline(__always)
    func take(_ delivery: Delivery) -> Posting { unsafe intake.mailbox.take(delivery.address) }

    /// Whether the report with a number is in its slot.
    func hasReport(at number: Int64) -> Bool { unsafe intake.mailbox.element(at: number) != nil }

    /// The least number of pending reports, for readers that can't take the lock.
    var pendingAtLeast: Int64 { intake.accepted - intake.released }

    /// Whether the worker of a generation is still current.
    func isCurrent(_ generation: UInt64) -> Bool { self.generation.value == generation }

    var hasEnded: Bool { intake.state.hasEnded }
}
