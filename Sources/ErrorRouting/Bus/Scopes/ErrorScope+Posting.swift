extension ErrorScope {
    /// Posts an error, to be handled by the rules of the whole path.
    ///
    /// Never suspends, never throws, never waits for an action, and works on any thread. A scope that was made where
    /// there was no bus posts to the one that there is by now: the task's, else the root. Where there is none the error
    /// is written to standard error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - metadata: What to give along, on top of the scope's.
    ///   - source: Where it is posted.
    public func post(_ error: consuming any Error, metadata: [String: String], source: ErrorReport.Source) {
        guard let bus = unsafe unretainedBus else { return postWithoutBus(error, metadata, source) }
        let (error, context) = (error, context)
        _ = unsafe bus._withUnsafeGuaranteedRef { $0.post(error, metadata, source, in: context) }
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
    @discardableResult
    public func deliver(
        _ error: any Error,
        metadata: [String: String],
        source: ErrorReport.Source
    ) async -> HandleOutcome {
        let scope = rooted
        guard let bus = scope.bus else {
            writeToLastResort(error, metadata, source)
            return HandleOutcome(disposition: .unmatched)
        }
        return await bus.deliver(error, metadata, source, in: scope.context)
    }

    @inline(never)
    private func postWithoutBus(_ error: any Error, _ metadata: [String: String], _ source: ErrorReport.Source) {
        let scope = rooted
        guard scope.bus != nil else { return writeToLastResort(error, metadata, source) }
        scope.post(error, metadata: metadata, source: source)
    }

    private func writeToLastResort(
        _ error: any Error,
        _ metadata: [String: String],
        _ source: ErrorReport.Source
    ) {
        let scope = context.forReports
        let report = ErrorReport(
            error: error,
            source: source,
            metadata: scope.metadata(with: metadata),
            scope: scope.path
        )
        LastResort.ofProcess.write(report, because: AmbientErrorPosting.noBus)
    }
}
