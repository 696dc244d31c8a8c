extension ErrorBus {
    /// Hands over every report delivered from now on, with its outcome, in order, and none missed.
    ///
    /// For exporters, metrics and presenters. The closure is called by the bus's worker, which waits for it: it must be
    /// cheap and must not block, since nothing limits its time, and hands over to whoever is not. It can stop nothing.
    /// What it posts is delivered later.
    ///
    /// ```swift
    /// let observation = bus.observe { report in exporter.enqueue(report) } onEnd: { _ in exporter.close() }
    /// ```
    ///
    /// Where it shall go on for as long as the bus does, ``observeUntilEnd(_:onEnd:)`` needs nobody to hold it.
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with what the bus has counted by then: when the bus has
    ///     drained, or when the observation is cancelled or let go.
    /// - Returns: The observation, which ends when it is let go.
    public func observe(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (Statistics) -> Void = { _ in }
    ) -> ErrorObservation {
        ErrorObservation(ReportReceiver(receive, onEnd: onEnd), of: self)
    }

    /// Opens a stream of every report delivered from now on, with its outcome.
    ///
    /// An observer can stop nothing, and a slow one never slows the bus: its own stream loses its oldest reports, and
    /// the next one that is read says in ``ErrorReport/missed`` how many. Who may miss none uses ``observe(_:onEnd:)``.
    /// Its reader is woken once for reports that follow each other closely. The stream ends when the bus has drained,
    /// or when its reader is done with it. One reader per stream; open a stream for each. Read it in a `Task {}` or an
    /// `async let`, not in a `task` of the bus: ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for
    /// those before it drains, and the stream ends after that.
    ///
    /// - Parameter limit: How many reports the stream holds for a reader that is behind. At least 1.
    /// - Returns: The stream.
    public func reports(bufferingNewest limit: Int = 256) -> AsyncStream<ErrorReport> {
        ReportReading.reports(limit, of: self)
    }

    /// Opens a stream of the reports whose errors a matcher matches, each with what the matcher hands on.
    ///
    /// ```swift
    /// for await (payment, report) in bus.reports(matching: .type(PaymentError.self)) {
    ///     metrics.count(payment.code, report.occurrences)
    /// }
    /// ```
    ///
    /// Only those take room in its buffer; else it is a stream as ``reports(bufferingNewest:)`` opens it. The matcher
    /// is asked by the bus, in its own time: a predicate in it should be quick.
    ///
    /// - Parameters:
    ///   - matcher: Which errors to observe.
    ///   - limit: How many reports the stream holds for a reader that is behind. At least 1.
    /// - Returns: The stream.
    public func reports<Output>(
        matching matcher: ErrorMatcher<Output>,
        bufferingNewest limit: Int = 256
    ) -> AsyncStream<(output: Output, report: ErrorReport)> {
        ReportReading.reports(matching: matcher, limit, of: self)
    }
}
