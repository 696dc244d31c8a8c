extension ErrorScope {
    /// Posts an error, to be handled by the rules of the whole path.
    ///
    /// Never suspends, never throws, never waits for an action, and works on any thread. Where the scope has no bus the
    /// error is written to standard error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along, on top of the scope's.
    ///   - source: Where it is posted.
    public func post(_ error: consuming any Error, metadata: [String: String], source: ErrorReport.Source) {
        guard let bus = unsafe unretainedBus else { return writeToStandardError(error, metadata, source) }
        let (error, context) = (error, context)
        unsafe bus._withUnsafeGuaranteedRef { $0.post(error, metadata, source, in: context) }
    }

    /// Posts an error and waits until it is delivered; so a poster knows whether anyone on the path handled it.
    ///
    /// As ``ErrorBus/deliver(_:metadata:source:)``.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along, on top of the scope's.
    ///   - source: Where it is posted.
    /// - Returns: What became of it; `.unmatched` where it went to standard error.
    public func deliver(
        _ error: any Error,
        metadata: [String: String],
        source: ErrorReport.Source
    ) async -> HandleOutcome {
        guard let bus else {
            writeToStandardError(error, metadata, source)
            return HandleOutcome(disposition: .unmatched)
        }
        return await bus.deliver(error, metadata, source, in: context)
    }

    private func writeToStandardError(
        _ error: any Error,
        _ metadata: [String: String],
        _ source: ErrorReport.Source
    ) {
        let report = ErrorReport(
            error: error,
            source: source,
            metadata: context.metadata.merging(metadata) { _, own in own },
            scope: path
        )
        StandardError.write(report, because: AmbientErrorPosting.noBus)
    }
}
