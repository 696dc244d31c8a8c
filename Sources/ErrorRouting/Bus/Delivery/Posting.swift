/// What a poster hands over.
///
/// It lies in the mailbox until it is delivered, and is mostly read where it lies. With a slot's state it fills two
/// cache lines.
struct Posting: Sendable {
    /// What a flood limit goes by.
    struct FloodStamp: Sendable {
        let code: ErrorCode
        let moment: Duration
    }

    let error: any Error
    let source: ErrorReport.Source
    let metadata: [String: String]
    let scope: ScopeContext?
    let moment: ErrorReport.Moment
    /// Who waits for the outcome.
    let promise: Promise<HandleOutcome>?
    /// Nil for notices, and where there is no flood limit.
    let floodStamp: FloodStamp?

    init(
        _ error: any Error,
        at source: ErrorReport.Source,
        metadata: [String: String] = [:],
        scope: ScopeContext? = nil,
        moment: ErrorReport.Moment = .init(),
        promise: Promise<HandleOutcome>? = nil,
        floodStamp: FloodStamp? = nil
    ) {
        self.error = error
        self.source = source
        self.metadata = metadata
        self.scope = scope
        self.moment = moment
        self.promise = promise
        self.floodStamp = floodStamp
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
            metadata: scope.map { $0.metadata.merging(metadata) { _, own in own } } ?? metadata,
            scope: scope?.path ?? [],
            sequence: sequence,
            occurrences: occurrences,
            outcome: outcome
        )
    }
}
