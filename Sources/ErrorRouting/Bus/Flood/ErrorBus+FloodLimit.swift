/// The flood limit's inputs. Posting threads compute them, because user code must not run under the bus's lock.
extension ErrorBus {
    /// Sets the kind of a posting and, if the bus's clock isn't the system's, the time of the post.
    @inline(never)
    func applyFloodLimit(to posting: inout Posting) {
        guard let limit = configuration.floodLimit else { return }
        posting.limit(by: floodKind(of: posting, under: limit), at: clock.isContinuous ? nil : clock.now())
    }

    /// Returns the kind of a posting; nil if the limit doesn't apply to it.
    private func floodKind(of posting: Posting, under limit: FloodLimit) -> FloodKind? {
        let (error, role, mark) = (posting.error.error, posting.role, posting.rareParts?.value.floodMark)
        // Don't limit the error at the nesting limit: its code can't be read, so errors with other codes would be
        // merged with it.
        if PerThread.isAtLimit, limit.fingerprint == nil { return nil }
        // Of the notices, limit only cancellations: like failures, they show that work was cancelled unexpectedly.
        if role == .notice, !Cancellation.matches(error) { return nil }
        let scope = posting.unretainedScope?.read { $0.forReports.path } ?? []
        let kind = PerThread.calling(.floodKind, of: number) {
            if let fingerprint = limit.fingerprint {
                return FloodKind(given: fingerprint(posting.report()), as: role, marked: mark)
            }
            let code = FloodKind.code(of: error, by: detailsTable)
            return FloodKind(code, at: posting.source, in: scope, as: role, marked: mark)
        }
        // Use only the type if user code posted the error while another kind was being computed.
        return kind
            ?? FloodKind(
                (ObjectIdentifier(type(of: error)), 0, nil), at: posting.source, in: scope, as: role, marked: mark)
    }
}
