/// Makes the report of an error from what whoever dispatches the error keeps meanwhile.
protocol ReportMaker {
    /// - Parameters:
    ///   - error: The error.
    ///   - address: Where that is kept.
    ///   - sequence: What the error counts as in the order of delivery.
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport
}

/// The report of an error: made when an action first asks for it, since most do not.
@safe struct LazyReport {
    /// What it is made of, for as long as nothing is made of it.
    ///
    /// Only addresses, so that it costs nothing to have it for the many that nobody asks for.
    private let maker: any ReportMaker.Type
    private let address: UnsafeRawPointer
    private let sequence: UInt64
    private var report: ErrorReport?
    private var outcome: HandleOutcome?

    /// - Parameters:
    ///   - address: What the report is made of: whoever dispatches it keeps it there meanwhile.
    ///   - maker: Makes it.
    ///   - sequence: What it counts as in the order of delivery.
    @unsafe @inline(__always)
    init(keptAt address: UnsafeRawPointer, by maker: any ReportMaker.Type, sequence: UInt64 = 0) {
        unsafe self.address = address
        self.maker = maker
        self.sequence = sequence
    }

    /// The report of the error.
    mutating func made(for error: any Error) -> ErrorReport {
        var report = unsafe report ?? maker.report(of: error, keptAt: address, sequence: sequence)
        self.report = report
        if let outcome { report.outcome = outcome }
        return report
    }

    /// Lets the reports made from now on carry an outcome.
    mutating func carry(_ outcome: HandleOutcome) {
        self.outcome = outcome
    }
}

/// An error that is handled directly comes from a place.
extension ErrorReport.Source: ReportMaker {
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport {
        unsafe ErrorReport(error: error, source: address.assumingMemoryBound(to: Self.self).pointee)
    }
}

/// Or it has a report.
extension ErrorReport: ReportMaker {
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport {
        unsafe address.assumingMemoryBound(to: Self.self).pointee
    }
}
