/// The reports of what was posted.
extension LazyReport {
    /// Without a claim to it: whoever dispatches it holds it.
    init(_ pending: PendingReport) {
        unsafe self.init(keptAt: Unmanaged.passUnretained(pending).toOpaque()) { address, _ in
            unsafe Unmanaged<PendingReport>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.report() }
        }
    }

    /// It lies where whoever dispatches it keeps it.
    init(_ posting: UnsafePointer<Posting>, sequence: UInt64) {
        unsafe self.init(keptAt: UnsafeRawPointer(posting), sequence: sequence) { address, sequence in
            unsafe address.assumingMemoryBound(to: Posting.self).pointee.report(sequence: sequence)
        }
    }
}
