extension ErrorScope {
    /// Posts an error for the rules of the whole path.
    ///
    /// It never suspends, throws, or waits for an action, and it works on any thread. A scope created without a bus
    /// posts to the task's bus at the time of the post or, without one, to the root. If there is neither, the error is
    /// written to the last resort.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report, on top of the scope's.
    ///   - source: Where the error is posted.
    public func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        guard let bus = unsafe unretainedBus else {
            return postWithoutBus(error, as: role, metadata: metadata, source: source)
        }
        let (error, context) = (error, context)
        _ = unsafe bus._withUnsafeGuaranteedRef {
            $0.postOutOfLine(error, as: role, metadata: metadata, source: source, in: context)
        }
    }

    /// Posts an error, waits until it is delivered, and returns whether a rule on the path handled it.
    ///
    /// It waits, and returns `.pending`, as ``ErrorBus/deliver(_:as:metadata:source:)`` does.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report, on top of the scope's.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome; `.unmatched` if the error went to the last resort.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        let scope = rooted
        guard let bus = scope.bus else {
            scope.writeToLastResort(error, as: role, metadata: metadata, source: source)
            return HandleOutcome(disposition: .unmatched)
        }
        return await bus.deliver(error, as: role, metadata: metadata, source: source, in: scope.context)
    }

    @inline(never)
    private func postWithoutBus(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        let scope = rooted
        if scope.bus != nil { return scope.post(error, as: role, metadata: metadata, source: source) }
        scope.writeToLastResort(error, as: role, metadata: metadata, source: source)
    }

    private func writeToLastResort(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        let own = context.forReports
        let report = ErrorReport(
            error: error,
            role: role,
            source: source,
            metadata: own.metadata(with: context.annotated(metadata)),
            scope: own.path
        )
        LastResort.ofProcess.write(report, because: AmbientErrorPosting.noBus)
    }
}
