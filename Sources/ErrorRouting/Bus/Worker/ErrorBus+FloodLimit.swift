/// What a flood limit needs to know of the bus's errors.
extension ErrorBus {
    /// Returns what the poster has to find out for the flood limit; nil if the worker can find it out from the posting.
    @inline(never)
    func floodStamp(for error: any Error) -> Posting.FloodStamp? {
        // By a clock other than the system's, the worker cannot tell the moment of the post. And an error that is asked
        // for its code may post itself again: if the worker asked, that would never end; in the poster the depth of
        // such calls is bounded.
        if clock.isContinuous, !PerThread.isInMatcher { return nil }
        return (ErrorCode(of: error), clock.now().nanoseconds)
    }

    /// Returns what the flood limit needs to know of a report.
    ///
    /// The worker calls this without the lock, since it may run the user's code.
    func floodToken(of delivery: Delivery) -> FloodToken {
        let (role, stamp, moment) = (delivery.posting.role, delivery.posting.floodStamp, delivery.posting.floodMoment)
        // A failure is not merged with an attempt, nor an error with one that a test expects.
        let mark = delivery.posting.mark.map { ObjectIdentifier($0) }
        if let given = configuration.floodLimit?.fingerprint {
            let text = given(delivery.posting.report())
            return FloodToken(kind: .init(given: text, as: role, marked: mark), moment: moment)
        }
        let code = stamp?.code ?? ErrorCode(of: delivery.posting.error)
        let scope = unsafe delivery.posting.unretainedScope?._withUnsafeGuaranteedRef { $0.forReports.path } ?? []
        let kind = FloodKind(of: code, at: delivery.posting.source, in: scope, as: role, marked: mark)
        return FloodToken(kind: kind, moment: moment)
    }
}
