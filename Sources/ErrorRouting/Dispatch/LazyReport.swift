/// The report of an error: made when an action first asks for it, since most do not.
@safe struct LazyReport {
    @safe private enum Origin {
        /// It is handled directly, and comes from a place.
        case place(ErrorReport.Source)
        /// It was posted. Without a claim to it: whoever dispatches it holds it.
        case posted(Unmanaged<PendingReport>)
    }

    private let origin: Origin
    private var report: ErrorReport?
    private var outcome: HandleOutcome?

    init(source: ErrorReport.Source) {
        origin = .place(source)
    }

    init(_ pending: PendingReport) {
        unsafe origin = .posted(Unmanaged.passUnretained(pending))
    }

    init(_ report: ErrorReport) {
        origin = .place(report.source)
        self.report = report
    }

    /// The report of the error.
    mutating func made(for error: any Error) -> ErrorReport {
        var report = report ?? make(error)
        self.report = report
        if let outcome { report.outcome = outcome }
        return report
    }

    private func make(_ error: any Error) -> ErrorReport {
        switch origin {
        case .place(let source): ErrorReport(error: error, source: source)
        case .posted(let pending): unsafe pending._withUnsafeGuaranteedRef { $0.report() }
        }
    }

    /// Lets the reports made from now on carry an outcome.
    mutating func carry(_ outcome: HandleOutcome) {
        self.outcome = outcome
    }
}
