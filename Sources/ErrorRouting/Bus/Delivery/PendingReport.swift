/// What was posted, on its way through the bus: from the post to its end.
///
/// An object, and the mailbox's node at the same time: it is allocated once, and handed on by reference. The report that
/// actions and observers get is made when one of them asks. It is kept small: up to 120 bytes glibc's allocator takes
/// back without a lock what another thread has allocated, as is the case for every report.
///
/// Unchecked, since some of it changes: as long as it is not pushed it is its poster's, then the loop's, which touches it
/// under its lock, and not at all once it is in delivery.
class PendingReport: MailboxItem, @unchecked Sendable {
    enum Kind {
        case posted
        /// A notice that an action failed. Its own failures go to standard error and no further.
        case actionFailure
        /// A notice that errors were dropped. Its error is made when it is taken for delivery: until then drops add to
        /// it.
        case errorsDropped
    }

    /// What a flood limit goes by.
    struct FloodStamp: Sendable {
        let code: ErrorCode
        let moment: Duration
    }

    final let kind: Kind
    final private var occurrences: UInt32 = 1
    final private(set) var error: any Error
    final let source: ErrorReport.Source
    /// Who waits for the outcome.
    final let promise: Promise<HandleOutcome>?

    final var next: UInt = 0
    final private(set) var sequence: UInt64 = 0

    final private let metadata: [String: String]
    final private let scope: [String]
    final private let moment = ErrorReport.Moment()

    init(
        _ error: any Error,
        at source: ErrorReport.Source,
        metadata: [String: String] = [:],
        scope: [String] = [],
        kind: Kind = .posted,
        promise: Promise<HandleOutcome>? = nil
    ) {
        self.error = error
        self.source = source
        self.metadata = metadata
        self.scope = scope
        self.kind = kind
        self.promise = promise
    }

    /// Nil for notices, and where there is no flood limit.
    var floodStamp: FloodStamp? { nil }

    /// The notice of an action's failure: posted where the rule was registered, in the scope of what it was handling.
    convenience init(noticeOf failure: ActionFailure) {
        self.init(
            failure,
            at: failure.rule.source,
            metadata: failure.report.metadata,
            scope: failure.report.scope,
            kind: .actionFailure
        )
    }

    /// A notice of drops, of which the first was posted at a place.
    convenience init(noticeOfDropsAt source: ErrorReport.Source, scope: [String]) {
        self.init(ErrorsDropped(count: 0), at: source, scope: scope, kind: .errorsDropped)
    }

    /// A notice like this one, for what is dropped from now on.
    final func another() -> PendingReport { PendingReport(noticeOfDropsAt: source, scope: scope) }

    /// It has its turn, as the notice of these drops.
    final func tell(_ drops: ErrorsDropped) { error = drops }

    /// It has its turn, and stands for others that were suppressed.
    final func standFor(_ occurrences: Int) {
        self.occurrences = UInt32(clamping: occurrences)
    }

    /// It has its turn.
    final func deliver(as sequence: UInt64) { self.sequence = sequence }

    /// The report, as actions and observers get it.
    final func report(_ outcome: HandleOutcome? = nil) -> ErrorReport {
        ErrorReport(
            error: error,
            source: source,
            moment: moment,
            metadata: metadata,
            scope: scope,
            sequence: sequence,
            occurrences: Int(occurrences),
            outcome: outcome
        )
    }
}

/// A report that a flood limit looks at.
final class StampedReport: PendingReport, @unchecked Sendable {
    private let stamp: FloodStamp

    init(
        _ error: any Error,
        at source: ErrorReport.Source,
        metadata: [String: String],
        scope: [String],
        promise: Promise<HandleOutcome>?,
        stamp: FloodStamp
    ) {
        self.stamp = stamp
        super.init(error, at: source, metadata: metadata, scope: scope, promise: promise)
    }

    override var floodStamp: FloodStamp? { stamp }
}
