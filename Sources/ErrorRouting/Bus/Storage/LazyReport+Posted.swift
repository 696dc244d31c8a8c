/// A report that the state machine has in hand.
extension PendingReport: ReportMaker {
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport {
        unsafe Unmanaged<PendingReport>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.report() }
    }
}

/// What was posted, where it lies.
extension Posting: ReportMaker {
    static func report(of error: any Error, keptAt address: UnsafeRawPointer, sequence: UInt64) -> ErrorReport {
        unsafe address.assumingMemoryBound(to: Posting.self).pointee.report(sequence: sequence)
    }
}

extension LazyReport {
    /// Not retained: whoever dispatches it holds it.
    init(_ pending: PendingReport) {
        unsafe self.init(keptAt: Unmanaged.passUnretained(pending).toOpaque(), by: PendingReport.self)
    }

    /// It lies where whoever dispatches it keeps it.
    init(_ posting: UnsafePointer<Posting>, sequence: UInt64) {
        unsafe self.init(keptAt: posting, by: Posting.self, sequence: sequence)
    }
}
