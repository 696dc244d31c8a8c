extension ErrorScope {
    /// Posts an error, which the rules of this scope, of the enclosing scopes, and of the bus handle.
    ///
    /// Posting never suspends, throws, or waits for an action, and it works on any thread. A scope that was created
    /// without a bus finds the receiver on each post. It is the first of these that exists: the task's bus, the root
    /// bus, the last resort.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report; it takes precedence over the scope's metadata.
    ///   - source: Where the error is posted.
    public func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        guard let bus = unretainedBus else {
            return postWithoutBus(error, as: role, metadata: metadata, source: source)
        }
        let (error, context) = (error, context)
        _ = bus.read { $0.post(error, as: role, metadata: metadata, source: source, in: context) }
    }

    /// Posts an error, waits until it is delivered, and returns whether a rule on the path handled it.
    ///
    /// It waits and returns like ``ErrorBus/deliver(_:as:metadata:source:)``, including `.pending`.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report; it takes precedence over the scope's metadata.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome; `.unmatched` if the error went to the last resort.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        let scope = rooted
        guard let bus = scope.bus else {
            let report = scope.reportWithoutBus(of: error, as: role, metadata: metadata, source: source)
            return AmbientErrorPosting().writeToLastResort(report)
        }
        return await bus.deliver(error, as: role, metadata: metadata, source: source, in: scope.context)
    }

    @inline(never)
    private func postWithoutBus(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        let scope = rooted
        if scope.bus != nil { return scope.post(error, as: role, metadata: metadata, source: source) }
        let report = scope.reportWithoutBus(of: error, as: role, metadata: metadata, source: source)
        AmbientErrorPosting().writeToLastResort(report)
    }

    /// Returns the report of an error that no bus receives.
    func reportWithoutBus(
        of error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) -> ErrorReport {
        let own = context.forReports
        let metadata = own.metadata(with: context.annotated(metadata))
        return ErrorReport(error: error, role: role, source: source, metadata: metadata, scope: own.path)
    }
}
