/// A report that was taken from the mailbox, or a notice, until its end.
///
/// A class, since the state machine, the worker, the worker's successor and a shutdown hand it on to each other.
/// Reports in the lane have none.
///
/// Unchecked, since it is mutable: it changes only under the bus's lock, and not any more once it is in delivery; the
/// flood mark is the worker's.
final class PendingReport: @unchecked Sendable {
    enum Kind {
        case posted
        /// A notice that an action failed. Failures of its own actions go to the last resort and no further.
        case actionFailure
        /// A notice that errors were dropped. Drops add to it until it is delivered.
        case errorsDropped
    }

    private(set) var posting: Posting
    let kind: Kind
    private(set) var sequence: UInt64 = 0
    private var occurrences = 1
    /// What a flood limit compares; written by the worker alone.
    var floodMark: FloodMark?

    init(_ posting: Posting, kind: Kind = .posted) {
        self.posting = posting
        self.kind = kind
    }

    /// Creates the notice of a failed action: its source is where the rule was registered, its scope the report's.
    convenience init(noticeOf failure: ActionFailure, in scope: ScopeContext?) {
        self.init(
            Posting(failure, at: failure.rule.source, metadata: failure.report.metadata, scope: scope),
            kind: .actionFailure
        )
    }

    /// Creates a notice of drops, which is in no scope.
    ///
    /// - Parameter source: Where the first dropped error was posted.
    convenience init(noticeOfDropsAt source: ErrorReport.Source) {
        self.init(Posting(ErrorsDropped(count: 0), at: source), kind: .errorsDropped)
    }

    var error: any Error { posting.error }

    /// Sets the drops that the notice tells of.
    func fill(with drops: ErrorsDropped) {
        posting = Posting(drops, at: posting.source, moment: posting.moment)
    }

    /// Sets how many errors the report stands for: itself and the suppressed ones.
    func standFor(_ occurrences: Int) { self.occurrences = occurrences }

    /// Sets the sequence number, as the report's delivery begins.
    func deliver(as sequence: UInt64) { self.sequence = sequence }

    /// Returns the report, as actions and observers get it.
    func report(_ outcome: HandleOutcome = .pending) -> ErrorReport {
        posting.report(sequence: sequence, occurrences: occurrences, outcome: outcome)
    }
}

extension PendingReport: ReportMaker {
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport {
        unsafe Unmanaged<PendingReport>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.report() }
    }
}

extension LazyReport {
    /// Does not retain the report: the dispatching worker does.
    init(_ pending: PendingReport) {
        unsafe self.init(keptAt: Unmanaged.passUnretained(pending).toOpaque(), by: PendingReport.self)
    }
}
