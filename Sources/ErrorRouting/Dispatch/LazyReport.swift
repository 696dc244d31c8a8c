/// The report of an error: made when an action first asks for it, since most do not.
@safe struct LazyReport {
    @safe private enum Origin {
        /// It is handled directly, and comes from a place.
        case place(ErrorReport.Source)
        /// Whoever dispatches it keeps what it is made of, and knows how.
        case kept(UnsafeRawPointer, sequence: UInt64, make: Maker)
    }

    typealias Maker = (_ address: UnsafeRawPointer, _ sequence: UInt64) -> ErrorReport

    private let origin: Origin
    private var report: ErrorReport?
    private var outcome: HandleOutcome?

    init(source: ErrorReport.Source) {
        origin = .place(source)
    }

    /// - Parameters:
    ///   - address: What the report is made of: whoever dispatches it keeps it there meanwhile.
    ///   - sequence: What it counts as in the order of delivery.
    ///   - make: Makes it; without a context, so that nothing is allocated for the many that nobody asks for.
    init(keptAt address: UnsafeRawPointer, sequence: UInt64 = 0, make: @escaping Maker) {
        unsafe origin = .kept(address, sequence: sequence, make: make)
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
        case .kept(let address, let sequence, let make): unsafe make(address, sequence)
        }
    }

    /// Lets the reports made from now on carry an outcome.
    mutating func carry(_ outcome: HandleOutcome) {
        self.outcome = outcome
    }
}
