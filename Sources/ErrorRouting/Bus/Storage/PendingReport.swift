/// A report that has left its place in the mailbox, or a notice, until its end.
///
/// A class, since the state machine, the worker, the worker's successor and a shutdown hand it on to each other.
/// Reports in the lane have none.
///
/// Unchecked, since it is mutable: it changes only under the bus's lock, and not any more once it is in delivery.
final class PendingReport: @unchecked Sendable {
    let posting: Posting
    /// Whether it is a notice that an action failed: failures of its own actions go to the last resort and no further.
    let isFailureNotice: Bool
    /// The report's number in the order of delivery; 0 before its delivery begins.
    var sequence: UInt64
    /// How many errors the report stands for: itself and the suppressed ones.
    let occurrences: Int
    /// When the oldest of these was posted.
    let firstMoment: ErrorReport.Moment

    init(_ posting: Posting, sequence: UInt64 = 0) {
        self.posting = posting
        self.sequence = sequence
        (occurrences, firstMoment, isFailureNotice) = (1, posting.moment, false)
    }

    /// Creates the report that a flood limit releases, which stands for the suppressed ones too.
    init(_ release: FloodLimiter<Posting>.Release) {
        (posting, occurrences, firstMoment) = (release.held, release.occurrences, release.firstMoment)
        (sequence, isFailureNotice) = (0, false)
    }

    /// Creates the notice of a failed action: its source is where the rule was registered, its scope the report's.
    init(noticeOf failure: ActionFailure, in scope: ScopeContext?) {
        posting = Posting(failure, at: failure.rule.source, metadata: failure.report.metadata, scope: scope)
        (sequence, occurrences, firstMoment, isFailureNotice) = (0, 1, posting.moment, true)
    }

    var error: any Error { posting.error }

    /// Returns the report, as actions and observers get it.
    func report(_ outcome: HandleOutcome = .pending) -> ErrorReport {
        posting.report(sequence: sequence, occurrences: occurrences, firstMoment: firstMoment, outcome: outcome)
    }
}

extension PendingReport: ReportMaker {
    static func report(
        of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64, outcome: HandleOutcome?
    ) -> ErrorReport {
        unsafe Unmanaged<PendingReport>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.report(outcome ?? .pending) }
    }
}

extension LazyReport {
    /// Does not retain the report: the dispatching worker does.
    init(_ pending: PendingReport) {
        unsafe self.init(keptAt: Unmanaged.passUnretained(pending).toOpaque(), by: PendingReport.self)
    }
}
