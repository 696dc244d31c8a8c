/// What a poster hands over.
///
/// It lies in the mailbox until it is delivered, and is mostly read where it lies. With a slot's state it fills two cache
/// lines.
struct Posting: Sendable {
    /// What a flood limit goes by.
    struct FloodStamp: Sendable {
        let code: ErrorCode
        let moment: Duration
    }

    let error: any Error
    let source: ErrorReport.Source
    var metadata: [String: String] = [:]
    var scope: [String] = []
    /// Who waits for the outcome.
    var promise: Promise<HandleOutcome>?
    /// Nil for notices, and where there is no flood limit.
    var floodStamp: FloodStamp?
    var moment = ErrorReport.Moment()

    init(_ error: any Error, at source: ErrorReport.Source) {
        self.error = error
        self.source = source
    }

    /// The report, as actions and observers get it.
    func report(
        sequence: UInt64 = 0,
        occurrences: Int = 1,
        outcome: HandleOutcome? = nil
    ) -> ErrorReport {
        ErrorReport(
            error: error,
            source: source,
            moment: moment,
            metadata: metadata,
            scope: scope,
            sequence: sequence,
            occurrences: occurrences,
            outcome: outcome
        )
    }
}
