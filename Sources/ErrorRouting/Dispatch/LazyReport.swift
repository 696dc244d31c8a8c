/// The report of an error that is handled directly: made when an action first asks for it, since most do not.
struct LazyReport {
    private let source: ErrorReport.Source
    private var report: ErrorReport?
    private var outcome: HandleOutcome?

    init(source: ErrorReport.Source) {
        self.source = source
    }

    init(_ report: ErrorReport) {
        source = report.source
        self.report = report
    }

    /// The report of the error.
    mutating func made(for error: any Error) -> ErrorReport {
        if var report {
            if let outcome { report.outcome = outcome }
            return report
        }
        var report = ErrorReport(error: error, source: source)
        self.report = report
        if let outcome { report.outcome = outcome }
        return report
    }

    /// Lets the reports made from now on carry an outcome.
    mutating func carry(_ outcome: HandleOutcome) {
        self.outcome = outcome
    }
}
