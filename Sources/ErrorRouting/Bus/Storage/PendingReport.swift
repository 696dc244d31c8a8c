/// A report that was taken from the mailbox, or a notice: from there to its end.
///
/// An object, since it is handed from one to another: the state machine, the worker, who takes over from that, and who
/// gets it back. Reports that go through the lane are none.
///
/// Unchecked, since some of it changes: under the bus's lock, and no more once it is in delivery.
final class PendingReport: @unchecked Sendable {
    enum Kind {
        case posted
        /// A notice that an action failed. Its own failures go to standard error and no further.
        case actionFailure
        /// A notice that errors were dropped. What it says is known when it has its turn: until then drops add to it.
        case errorsDropped
    }

    private(set) var posting: Posting
    let kind: Kind
    private(set) var sequence: UInt64 = 0
    private var occurrences = 1
    /// What a flood limit goes by; written by the worker alone.
    var floodMark: FloodMark?

    init(_ posting: Posting, kind: Kind = .posted) {
        self.posting = posting
        self.kind = kind
    }

    /// The notice that an action failed at a report: posted where the rule was registered, in the scope of the report.
    convenience init(noticeOf failure: ActionFailure, in scope: ScopeContext?) {
        self.init(
            Posting(failure, at: failure.rule.source, metadata: failure.report.metadata, scope: scope),
            kind: .actionFailure
        )
    }

    /// A notice of drops, of which the first was posted at a place; it is the bus's own, and in no scope.
    convenience init(noticeOfDropsAt source: ErrorReport.Source) {
        self.init(Posting(ErrorsDropped(count: 0), at: source), kind: .errorsDropped)
    }

    var error: any Error { posting.error }

    /// A notice like this one, for what is dropped from now on.
    func another() -> PendingReport { PendingReport(noticeOfDropsAt: posting.source) }

    /// It has its turn, as the notice of these drops.
    func tell(_ drops: ErrorsDropped) {
        posting = Posting(drops, at: posting.source, moment: posting.moment)
    }

    /// It has its turn, and stands for others that were suppressed.
    func standFor(_ occurrences: Int) { self.occurrences = occurrences }

    /// It has its turn.
    func deliver(as sequence: UInt64) { self.sequence = sequence }

    /// The report, as actions and observers get it.
    func report(_ outcome: HandleOutcome = .pending) -> ErrorReport {
        posting.report(sequence: sequence, occurrences: occurrences, outcome: outcome)
    }
}
