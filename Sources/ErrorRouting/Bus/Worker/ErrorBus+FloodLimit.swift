/// The flood limit's inputs for the bus's errors.
extension ErrorBus {
    /// Returns what only the caller can compute: matchers run user code, and the worker reads the results under the
    /// lock.
    @inline(never)
    func floodInputs(
        _ error: UnboxedError, _ role: ErrorReport.Role
    ) -> (stamp: Posting.FloodStamp?, escapes: Bool) {
        // Let an error pass if its code is needed but can't be read: it would be merged with errors of other codes.
        if PerThread.isAtLimit, configuration.floodLimit?.fingerprint == nil { return (nil, true) }
        // A notice of a cancellation that nobody requested is limited like a failure.
        return (floodStamp(for: error.error), role == .notice && !Cancellation.matches(error.error))
    }

    /// Returns the code and time of an error's post; nil if the worker can compute both from the posting.
    private func floodStamp(for error: any Error) -> Posting.FloodStamp? {
        // With a clock other than the system's, the worker can't determine the time of the post. And reading an error's
        // code might post the error again: in the worker that would never end; in the caller the depth of such calls is
        // bounded.
        if clock.isContinuous, !PerThread.isInUserCode { return nil }
        return Posting.FloodStamp(code: ErrorCode(of: error, by: detailsTable), moment: clock.now().nanoseconds)
    }

    /// Returns the flood token of a report.
    ///
    /// The worker calls this without the lock because it might run user code.
    func floodToken(of delivery: Delivery) -> FloodToken {
        // Don't merge a failure with an attempt, an error with one that a test expects, or one that `.logging` logs
        // with one that it leaves out.
        let (role, stamp, mark) = unsafe delivery.address.pointee.floodParts
        let moment = unsafe stamp?.moment ?? delivery.address.pointee.moment.sinceOrigin
        if let given = configuration.floodLimit?.fingerprint {
            let text = given(delivery.posting.report())
            return FloodToken(kind: .init(given: text, as: role, marked: mark), moment: moment)
        }
        let code = stamp?.code ?? ErrorCode(of: delivery.posting.error.error, by: detailsTable)
        let scope = delivery.posting.unretainedScope?.read { $0.forReports.path } ?? []
        let kind = FloodKind(of: code, at: delivery.posting.source, in: scope, as: role, marked: mark)
        return FloodToken(kind: kind, moment: moment)
    }
}
