extension ErrorScope {
    /// Hands over every report of this scope and of scopes below it; see ``ErrorBus/observe(_:onEnd:)``.
    ///
    /// Where the scope has no bus, there is nothing to observe, and it ends at once.
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with what the bus has counted by then.
    /// - Returns: The observation, which ends when it is let go.
    public func observe(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (ErrorBus.Statistics) -> Void = { _ in }
    ) -> ErrorObservation {
        let scope = rooted
        return ErrorObservation(ReportReceiver(receive, onEnd: onEnd), of: scope.bus, in: scope.context)
    }

    /// Opens a stream of the reports of this scope and of scopes below it; see ``ErrorBus/reports(bufferingNewest:)``.
    ///
    /// - Parameter limit: How many reports the stream holds for a reader that is behind. At least 1.
    /// - Returns: The stream; where the scope has no bus it has ended.
    public func reports(bufferingNewest limit: Int = 256) -> AsyncStream<ErrorReport> {
        let scope = rooted
        return ReportReading.reports(limit, of: scope.bus, in: scope.context)
    }

    /// Opens a stream of the reports of this scope, and of scopes below it, whose errors a matcher matches.
    ///
    /// See ``ErrorBus/reports(matching:bufferingNewest:)``.
    ///
    /// - Parameters:
    ///   - matcher: Which errors to observe.
    ///   - limit: How many reports the stream holds for a reader that is behind. At least 1.
    /// - Returns: The stream; where the scope has no bus it has ended.
    public func reports<Output>(
        matching matcher: ErrorMatcher<Output>,
        bufferingNewest limit: Int = 256
    ) -> AsyncStream<(output: Output, report: ErrorReport)> {
        let scope = rooted
        return ReportReading.reports(matching: matcher, limit, of: scope.bus, in: scope.context)
    }
}
