/// A type of value that an error's report is made from; the dispatch's caller keeps the value at its address meanwhile.
protocol ReportMaker {
    /// Returns the report of an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - address: The address of the value.
    ///   - sequence: The report's number in the order of delivery.
    ///   - outcome: The outcome so far; nil if there is none yet.
    static func report(
        of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64, outcome: HandleOutcome?
    ) -> ErrorReport
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
    /// The outcome that reports carry if they are made or lent from now on; nil if it is that of the last one.
    private var outcome: HandleOutcome?

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

    /// Sets the outcome that the report carries from now on.
    mutating func carry(_ outcome: consuming HandleOutcome) { self.outcome = outcome }

    /// Takes the report of the error, made at the first call.
    private mutating func taken(for error: any Error) -> ErrorReport {
        let outcome = outcome.take()
        guard var report = report.take() else {
            return unsafe maker.report(of: error, keptAt: address, sequence: sequence, outcome: outcome)
        }
        if let outcome { report.outcome = outcome }
        return report
    }

    /// Returns the report of the error, made at the first call.
    @inline(never)
    mutating func made(for error: any Error) -> ErrorReport {
        let report = taken(for: error)
        self.report = report
        return report
    }

    /// Calls a closure with the report of the error, made at the first call; moves the report out meanwhile, since to
    /// copy it costs as much as to make it.
    mutating func lend<Result>(for error: any Error, to body: (ErrorReport) throws -> Result) rethrows -> Result {
        let report = taken(for: error)
        do {
            let result = try body(report)
            self.report = consume report
            return result
        } catch {
            self.report = consume report
            throw error
        }
    }
}

/// An error that is handled directly has only a source, from which its report is made.
extension ErrorReport.Source: ReportMaker {
    static func report(
        of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64, outcome: HandleOutcome?
    ) -> ErrorReport {
        // With the moment as the system's clock tells it: to convert an instant would cost more than all the rest.
        unsafe ErrorReport(
            error: error, label: nil, source: address.assumingMemoryBound(to: Self.self).pointee, moment: .init(),
            metadata: [:], scope: [], sequence: sequence, occurrences: 1, outcome: outcome ?? .pending)
    }
}

/// An error that is handled with its report keeps that report.
extension ErrorReport: ReportMaker {
    static func report(
        of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64, outcome: HandleOutcome?
    ) -> ErrorReport {
        var report = unsafe address.assumingMemoryBound(to: Self.self).pointee
        if let outcome { report.outcome = outcome }
        return report
    }
}
