/// A type of value that an error's report is made from; the dispatch's caller keeps the value at its address meanwhile.
protocol ReportMaker {
    /// Returns the report of an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - address: The address of the value.
    ///   - sequence: The report's number in the order of delivery.
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport
}

/// The report of an error, made when an action first needs it, since most actions need none.
@safe struct LazyReport {
    /// What makes the report.
    ///
    /// This and the next two are plain words, so that a report which no action needs costs next to nothing.
    private let maker: any ReportMaker.Type
    private let address: UnsafeRawPointer
    private let sequence: UInt64
    private var report: ErrorReport?
    /// The outcome that reports carry if they are made from now on; nil until there is one.
    var outcome: HandleOutcome?

    /// - Parameters:
    ///   - address: The address of the value that the report is made from, where the dispatch's caller keeps it.
    ///   - maker: The type of that value.
    ///   - sequence: The report's number in the order of delivery.
    @unsafe @inline(__always)
    init(keptAt address: UnsafeRawPointer, by maker: any ReportMaker.Type, sequence: UInt64 = 0) {
        unsafe self.address = address
        self.maker = maker
        self.sequence = sequence
    }

    /// Returns the report of the error, made at the first call.
    mutating func made(for error: any Error) -> ErrorReport {
        var report = unsafe report ?? maker.report(of: error, keptAt: address, sequence: sequence)
        self.report = report
        if let outcome { report.outcome = outcome }
        return report
    }
}

/// An error that is handled directly has only a source, from which its report is made.
extension ErrorReport.Source: ReportMaker {
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport {
        // With the moment as the system's clock tells it: to convert an instant would cost more than all the rest.
        unsafe ErrorReport(
            error: error, label: nil, source: address.assumingMemoryBound(to: Self.self).pointee, moment: .init(),
            metadata: [:], scope: [], sequence: sequence, occurrences: 1, outcome: .pending)
    }
}

/// An error that is handled with its report keeps that report.
extension ErrorReport: ReportMaker {
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport {
        unsafe address.assumingMemoryBound(to: Self.self).pointee
    }
}
