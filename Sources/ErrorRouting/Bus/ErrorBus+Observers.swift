extension ErrorBus {
    /// Opens a stream of every report delivered from now on, with its outcome.
    ///
    /// An observer can stop nothing, and a slow one never slows the bus: its own stream loses its oldest reports, and
    /// the next one that is read says in ``ErrorReport/missed`` how many. The stream ends when the bus has drained, or
    /// when its reader is done with it. One reader per stream; open a stream for each. Read it in a `Task {}` or an
    /// `async let`, not in a `task` of the bus: ``withErrorBus(handler:configuration:isolation:_:)`` waits for those before it
    /// drains, and the stream ends after that.
    ///
    /// - Parameter limit: How many reports the stream holds for a reader that is behind. At least 1.
    /// - Returns: The stream.
    public func reports(bufferingNewest limit: Int = 256) -> AsyncStream<ErrorReport> {
        let next = observe(limit) { _ in () }
        return AsyncStream(unfolding: { await next.buffer.next()?.report }, onCancel: { next.leave() })
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
        let next = observe(limit) { matcher.match($0.error) }
        return AsyncStream(unfolding: { await next.buffer.next() }, onCancel: { next.leave() })
    }

    /// What one stream reads from.
    private struct Observation<Output: Sendable>: Sendable {
        let buffer: ObserverBuffer<Output>
        /// Held, since with it the observer goes.
        let entry: ObserverRegistry.Entry

        /// Its reader is done with it, whoever may hold the stream.
        func leave() {
            entry.leave()
            buffer.finish()
        }
    }

    /// Adds an observer that is one for as long as the answer is held.
    private func observe<Output>(
        _ limit: Int,
        _ match: @escaping @Sendable (ErrorReport) -> Output?
    ) -> Observation<Output> {
        if limit < 1 { fatalError("reports(bufferingNewest:) must be at least 1, not \(limit)") }
        let buffer = ObserverBuffer(bufferingNewest: limit, match: match)
        return Observation(buffer: buffer, entry: observers.add(buffer))
    }
}
