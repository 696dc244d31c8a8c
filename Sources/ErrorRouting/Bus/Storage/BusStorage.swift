import Synchronization

/// All of a bus's reports, from the post to the end, and everything that decides about them.
///
/// Posters use the intake, without a lock. Everything else is an event of the state machine, under the lock. The
/// storage has no tasks, no clock and no observers, and writes no output.
struct BusStorage: ~Copyable, Sendable {
    /// What posters write to.
    let intake: BusIntake
    private let machine: Locked<BusStateMachine>
    /// A copy of the machine's generation that can be read without the lock.
    ///
    /// Stored with release and read with acquire: a worker that finds itself replaced sees why.
    private let generation = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - capacity: How many reports may be pending; more than ``BusIntake/maximumCapacity`` counts as that many.
    ///   - actionTimeLimit: How long an asynchronous action may take.
    ///   - floodLimit: How many errors of a kind pass.
    ///   - start: The first report's number; all before it count as posted and handled.
    init(capacity: Int, actionTimeLimit: Duration?, floodLimit: FloodLimit? = nil, startingAt start: Int64 = 0) {
        intake = BusIntake(capacity: capacity, startingAt: start)
        machine = Locked(
            BusStateMachine(
                capacity: capacity, actionTimeLimit: actionTimeLimit, floodLimit: floodLimit, startingAt: start))
    }

    /// Lets an event happen, under the lock; what leaves the machine is released after unlocking, since objects of the
    /// user's may be deallocated then.
    @inline(__always)
    func perform<Result>(_ event: (inout BusStateMachine, borrowing BusIntake) -> Result) -> Result {
        var former: Checkpoint?
        defer { withExtendedLifetime(former) {} }
        return machine.withLock { machine in
            if machine.relay.checkpoint != nil { former = machine.relay.checkpoint }
            defer { generation.store(machine.relay.generation, ordering: .releasing) }
            return event(&machine, intake)
        }
    }

    /// Lets an event happen that needs no intake.
    @inline(__always)
    func perform<Result>(_ event: (inout BusStateMachine) -> Result) -> Result {
        perform { machine, _ in event(&machine) }
    }

    /// Frees the slot of a report in delivery, and returns the posting.
    ///
    /// Called by the report's worker, without the lock: an error's deinitializer may run the user's code.
    @inline(__always)
    func take(_ delivery: Delivery) -> Posting { delivery.take(from: intake.mailbox) }

    /// Frees the report that a worker was reading when a shutdown took it back; called by that worker, which stops.
    @inline(never)
    func freeAbandoned(by generation: UInt64) {
        if let delivery = perform({ $0.takeAbandoned(by: generation) }) { _ = take(delivery) }
    }

    /// Whether the report of a number is in its slot.
    func hasReport(at number: Int64) -> Bool { unsafe intake.mailbox.element(at: number) != nil }

    /// How many reports are pending at least, if the lock cannot be had.
    var pendingAtLeast: Int64 { intake.accepted - intake.released }

    /// The counts; nil if a thread holds the lock, possibly this one.
    var statisticsIfUnlocked: ErrorBus.Statistics? { machine.withLockIfAvailable { $0.statistics(intake) } }

    /// Whether the worker of a generation has not been replaced.
    func isCurrent(_ generation: UInt64) -> Bool { self.generation.load(ordering: .acquiring) == generation }

    var hasEnded: Bool { intake.state.hasEnded }
}
