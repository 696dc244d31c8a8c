/// A report on its way through the bus, and who waits for its outcome.
struct PendingReport: Sendable {
    enum Kind {
        case posted
        /// A notice that an action failed. Its own failures go to standard error and no further.
        case actionFailure
        /// A notice that errors were dropped. Its error is made when it is taken for delivery: until then drops add to
        /// it.
        case errorsDropped
    }

    /// What a flood limit goes by, taken where the error is posted.
    struct FloodStamp: Sendable {
        let code: ErrorCode
        let moment: Duration
    }

    var report: ErrorReport
    var kind = Kind.posted
    var promise: Promise<HandleOutcome>?
    /// Nil for notices, and where there is no flood limit.
    var floodStamp: FloodStamp?
}

extension PendingReport {
    /// The notice of an action's failure: posted where the rule was registered, in the scope of what it was handling.
    init(noticeOf failure: ActionFailure) {
        let report = ErrorReport(
            error: failure,
            source: failure.rule.source,
            metadata: failure.report.metadata,
            scope: failure.report.scope
        )
        self.init(report: report, kind: .actionFailure)
    }

    /// A notice of drops, of which the first was posted at a place.
    init(noticeOfDropsAt source: ErrorReport.Source, scope: [String]) {
        let report = ErrorReport(error: ErrorsDropped(count: 0), source: source, scope: scope)
        self.init(report: report, kind: .errorsDropped)
    }
}
