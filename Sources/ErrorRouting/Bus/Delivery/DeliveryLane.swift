import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Reports that the worker delivers one after the other where they lie in the mailbox, without the bus's lock, as long
/// as nothing but that is to be done; a shutdown can take them away at any moment.
///
/// What `position` holds:
///
/// | position | meaning |
/// | --- | --- |
/// | `closed` | the worker asks the state machine for each report |
/// | a number | the report of that number is in delivery, and those after it follow |
/// | `withdrawn` | a shutdown has taken them away, for good |
///
/// Invariants:
///
/// 1. The worker alone goes on from one report to the next, by compare-and-swap: if that fails, the lane was withdrawn,
///    and the report that it was at does not count. So each report is either counted here or taken away, never both.
/// 2. The worker looks into no report before it has gone on to it: until then it may be taken away. The one that the
///    worker is at is left where it lies.
/// 3. After the swap the worker counts, then says that it has arrived; whoever withdraws waits for that, so that counts
///    and reports add up. It is a matter of a few instructions, unless the worker's thread is preempted just there.
struct DeliveryLane: ~Copyable, Sendable {
    enum Step {
        /// The next report is in delivery now.
        case next
        /// The report is the last one here, or the next one needs more than delivery; nothing was done.
        case last
        /// The lane was withdrawn: the report counts for nothing.
        case withdrawn
    }

    private static let closed: Int64 = -1
    private static let withdrawn: Int64 = -2

    private let position = PaddedCounter(closed)
    // Only the worker writes to these, and hardly anyone reads.
    private let arrived = PaddedCounter()
    private let lastSequence = PaddedCounter()
    private let handled = PaddedCounter()
    private let ignored = PaddedCounter()
    private let unmatched = PaddedCounter()

    // MARK: Under the lock

    /// Whether reports are delivered here.
    var isOpen: Bool { position.value >= 0 }

    /// What the report in delivery, or the last one that was, counts as in the order of delivery.
    var sequence: UInt64 { UInt64(lastSequence.value) }

    /// Opens with the report of a number in delivery.
    func open(at number: Int64, sequence: UInt64) {
        lastSequence.set(Int64(sequence))
        arrived.set(number)
        position.set(number)
    }

    /// Closes, and answers the number of the report in delivery; nil if that was withdrawn.
    func close() -> Int64? {
        let found = position.value
        if found < 0 { return nil }
        position.set(Self.closed)
        return found
    }

    /// Takes away what is not delivered, and answers the number of the report in delivery; nil if it is closed.
    func withdraw() -> Int64? {
        let found = position.exchange(for: Self.withdrawn)
        if found < 0 { return nil }
        var looks = 0
        while arrived.value != found {
            looks += 1
            // The worker's thread was preempted: it needs a processor, perhaps this one.
            if looks < 100 { sched_yield() } else { usleep(50) }
        }
        return found
    }

    /// How many reports came to which end here.
    var counts: LaneCounts {
        LaneCounts(isOpen: isOpen, handled: handled.value, ignored: ignored.value, unmatched: unmatched.value)
    }

    // MARK: The worker's side

    /// Counts the report in delivery, and begins the next one.
    ///
    /// - Parameters:
    ///   - number: The report in delivery.
    ///   - disposition: The end that it has come to.
    ///   - intake: Where it lies; its place is emptied, and the next report released.
    func goOn(
        from number: Int64,
        _ disposition: HandleOutcome.Disposition,
        in intake: borrowing BusIntake
    ) -> Step {
        let next = number + 1
        guard intake.mailbox.isPlain(at: next), !intake.hasNotice(before: next) else { return .last }
        guard position.replace(number, by: next) else { return .withdrawn }
        count(disposition)
        lastSequence.set(lastSequence.value + 1)
        intake.releaseOne()
        arrived.set(next)
        return .next
    }

    private func count(_ disposition: HandleOutcome.Disposition) {
        switch disposition {
        case .ignored: ignored.set(ignored.value + 1)
        case .unmatched: unmatched.set(unmatched.value + 1)
        default: handled.set(handled.value + 1)
        }
    }
}

/// What a lane has counted.
struct LaneCounts {
    /// Whether a report is in delivery there.
    var isOpen = false
    var handled: Int64 = 0
    var ignored: Int64 = 0
    var unmatched: Int64 = 0
}
