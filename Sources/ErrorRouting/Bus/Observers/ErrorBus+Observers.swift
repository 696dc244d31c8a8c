extension ErrorBus {
    /// Calls a closure with every report delivered from now on, with its outcome, in order; none is missed.
    ///
    /// For exporters, metrics and presenters. The bus's worker calls the closure and waits for it, and nothing limits
    /// its time: it must be cheap and must not block, and should hand slow work over to somebody else. It cannot stop
    /// later rules or observers. What it posts is delivered later.
    ///
    /// ```swift
    /// let observation = bus.observe { report in exporter.enqueue(report) } onEnd: { _ in exporter.close() }
    /// ```
    ///
    /// To observe until the bus ends, without an observation to retain, use ``observeUntilEnd(_:onEnd:)``.
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with the bus's statistics at that moment: when the bus
    ///     has drained, or when the observation is cancelled or deallocated.
    /// - Returns: The observation, which ends when it is deallocated.
    public func observe(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (Statistics) -> Void = { _ in }
    ) -> ErrorObservation {
        ErrorObservation(receive, onEnd: onEnd, of: self)
    }

    /// Calls a closure with every report delivered from now on, until the bus ends; there is no observation to retain.
    ///
    /// As ``observe(_:onEnd:)``, for observers that belong to the bus as its rules do: metrics, an exporter. It cannot
    /// be cancelled. What the closures capture lives at least as long as the bus. If they capture the bus itself, both
    /// live until the bus has ended, which a bus that runs does.
    ///
    /// ```swift
    /// bus.observeUntilEnd { report in errors.increment(by: report.occurrences) }
    /// ```
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with the bus's statistics at that moment.
    public func observeUntilEnd(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (Statistics) -> Void = { _ in }
    ) {
        // The closure for the end retains the observation, and releases it when the end has come.
        let held = Locked<ErrorObservation?>(nil)
        let observation = observe(receive) { statistics in
            // Released outside the lock, since the user's code may run then.
            let observation = held.withLock { $0.take() }
            withExtendedLifetime(observation) { onEnd(statistics) }
        }
        held.withLock { $0 = observation }
    }

    /// Opens a stream of every report delivered from now on, with its outcome.
    ///
    /// A slow reader never slows the bus: its own stream loses its oldest reports, and the next report that is read
    /// says in ``ErrorReport/missed`` how many. A reader that may miss none uses ``observe(_:onEnd:)``. For reports
    /// that follow each other closely the reader is woken once. The stream ends when the bus has drained, or when the
    /// reader stops reading. Open a stream for each reader. Read it in a `Task {}` or an `async let`, not in a `task`
    /// of the bus: ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for those before it drains, and
    /// the stream ends only after that.
    ///
    /// - Parameter limit: How many reports the stream holds for a reader that is behind. At least 1.
    /// - Returns: The stream.
    public func reports(bufferingNewest limit: Int = 256) -> AsyncStream<ErrorReport> {
        ReportReading.reports(limit, of: self)
    }

    /// Opens a stream of the reports whose errors a matcher matches, each with the matcher's output.
    ///
    /// ```swift
    /// for await (payment, report) in bus.reports(matching: .type(PaymentError.self)) {
    ///     metrics.count(payment.code, report.occurrences)
    /// }
    /// ```
    ///
    /// Only those reports take room in its buffer; in all else it is like ``reports(bufferingNewest:)``. The bus's
    /// worker calls the matcher, so a predicate in it should be quick.
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
