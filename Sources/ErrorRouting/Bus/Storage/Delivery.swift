import Synchronization

/// The report in delivery.
///
/// A bus has one such object, into which its state machine moves one posting after another, so that the worker reads
/// the posting without copying it. Only the worker's own events, under the bus's lock, change the posting and its
/// number. Therefore the worker may read them without the lock, and a shutdown, which holds the lock, may copy the
/// posting.
///
/// Unchecked because of these rules.
@safe final class Delivery: ReportMaker, @unchecked Sendable {
    /// The place of the posting; initialized from ``begin(_:sequence:)`` to ``end()``.
    private let place = Place<Posting>.allocate()
    @exclusivity(unchecked) private var isUnderway = false
    /// The report's number in the order of delivery.
    @exclusivity(unchecked) private var number: UInt64 = 0
    /// Whether a shutdown has removed the report, so that the dispatch must not begin another rule.
    ///
    /// The worker reads it before each rule, without the lock. The intake's word would tell the same, but each read of
    /// the word takes its cache line away from the callers.
    private let isRemoved = Atomic<Bool>(false)

    deinit {
        if unsafe isUnderway { _ = place.take() }
        place.deallocate()
    }

    /// The report's number in the order of delivery.
    var sequence: UInt64 { unsafe number }

    var isReportRemoved: Bool { isRemoved.load(ordering: .acquiring) }

    /// Records that a shutdown has ended the bus, so that the worker neither begins another rule nor starts a
    /// successor.
    func removeReport() { isRemoved.store(true, ordering: .releasing) }

    /// The posting, read in place.
    var posting: Posting {
        @inline(__always) _read { yield place.value }
    }

    /// Begins the delivery of a report.
    @inline(__always)
    func begin(_ posting: consuming Posting, sequence: UInt64) {
        unsafe assert(!isUnderway, "one report is delivered at a time")
        place.fill(with: posting)
        unsafe (isUnderway, number) = (true, sequence)
    }

    /// Ends the delivery and returns the posting.
    @inline(__always)
    func end() -> Posting {
        let wasUnderway = unsafe exchange(&isUnderway, with: false)
        assert(wasUnderway, "no report is in delivery")
        return place.take()
    }

    override func report(with outcome: consuming HandleOutcome) -> ErrorReport {
        posting.report(sequence: sequence, outcome: outcome)
    }
}
