extension ErrorBus {
    /// Calls a closure with every report delivered from now on and its outcome, in order and without gaps.
    ///
    /// Use it for exporters, metrics, and presenters. The bus's worker calls the closure and waits for it without a
    /// time limit. So the closure must be quick and must not block; it should pass slow work to another task or thread.
    /// It can't stop later rules or observers. The bus delivers the closure's own posts later and calls the closure
    /// with them too. So a closure that posts an error for each report never stops.
    ///
    /// ```swift
    /// let observation = bus.observe { report in exporter.enqueue(report) } onEnd: { _ in exporter.close() }
    /// ```
    ///
    /// To observe until the bus ends, without an observation to retain, use ``observeUntilEnd(_:onEnd:)``.
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with the bus's statistics at that time. That is when the
    ///     bus has drained, or when the observation is cancelled or deallocated.
    /// - Returns: The observation, which ends when it is deallocated.
    public func observe(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (Statistics) -> Void = { _ in }
    ) -> ErrorObservation { ErrorObservation(ReportObserver(receive, onEnd: onEnd), of: self) }

    /// Calls a closure with every report delivered from now on until the bus ends, without an observation to retain.
    ///
    /// It works like ``observe(_:onEnd:)``, but for observers that live as long as the bus, such as metrics or an
    /// exporter. It can't be cancelled. Objects that the closures capture live at least until the bus has ended or is
    /// deallocated. If the closures capture the bus itself, the cycle keeps both alive until the bus has ended; a
    /// running bus stays alive anyway.
    ///
    /// ```swift
    /// bus.observeUntilEnd { report in errors.increment(by: report.occurrences) }
    /// ```
    ///
    /// - Parameters:
    ///   - receive: Called with each report.
    ///   - onEnd: Called exactly once, after the last report, with the bus's statistics at that time.
    public func observeUntilEnd(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (Statistics) -> Void = { _ in }
    ) { add(ReportObserver(receive, onEnd: onEnd)) }

    /// Opens a stream of every report delivered from now on and its outcome.
    ///
    /// A slow reader never slows the bus. Instead, its own stream loses its oldest reports, and the next report's
    /// ``ErrorReport/missed`` is the number of lost reports. A reader that must not miss a report should use
    /// ``observe(_:onEnd:)``. For reports in close succession, the bus wakes the reader only once.
    ///
    /// The stream ends when the bus has drained, or when the reader stops reading. Open a separate stream for each
    /// reader. Read it in a `Task {}` or an `async let`, not in a bus task:
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for bus tasks before it drains the bus, but
    /// the stream ends only after that.
    ///
    /// - Parameter limit: The number of reports that the stream buffers for a slow reader; at least 1.
    /// - Returns: The stream of reports.
    public func reports(bufferingNewest limit: Int = 256) -> AsyncStream<ErrorReport> {
        ObserverBuffer.reports(limit, of: self)
    }

    /// Opens a stream of the reports whose errors a matcher matches, each paired with the matcher's output.
    ///
    /// ```swift
    /// for await (payment, report) in bus.reports(matching: .type(PaymentError.self)) {
    ///     metrics.count(payment.code, report.occurrences)
    /// }
    /// ```
    ///
    /// Only those reports take room in the stream's buffer; otherwise, the stream works like
    /// ``reports(bufferingNewest:)``. The bus's worker calls the matcher, so a predicate in it should be quick.
    ///
    /// - Parameters:
    ///   - matcher: The matcher of the errors to observe.
    ///   - limit: The number of reports that the stream buffers for a slow reader; at least 1.
    /// - Returns: The stream of outputs and reports.
    public func reports<Output>(
        matching matcher: ErrorMatcher<Output>, bufferingNewest limit: Int = 256
    ) -> AsyncStream<(output: Output, report: ErrorReport)> {
        ObserverBuffer.reports(matching: matcher, limit, of: self)
    }
}

extension ErrorBus {
    /// Adds an observer; if the bus has ended, finishes it immediately.
    func add(_ observer: ReportObserver) {
        let end = storage.apply { machine -> Statistics? in
            if machine.hasEnded { return machine.statistics }
            machine.observers.append(observer)
            return nil
        }
        if let end { observer.finish(end) }
    }

    /// Removes and finishes an observer.
    func remove(_ observer: ReportObserver) {
        // The caller still retains the observer: an observer might hold reports, and errors must not be deallocated
        // under the lock.
        storage.apply { $0.observers.removeAll { $0 === observer } }
        observer.finish(statistics)
    }

    /// Ends all observations of a bus that has ended.
    func finishObservers() {
        let (observers, statistics) = storage.apply { (exchange(&$0.observers, with: []), $0.statistics) }
        for observer in observers { observer.finish(statistics) }
    }

    /// Wakes the waiting readers of streams.
    ///
    /// The worker calls it before it rests for any reason, and while it doesn't rest, only from time to time: waking a
    /// reader costs more than delivering a report.
    func wakeReaders() {
        for observer in storage.apply({ $0.observers }) { observer.wakeReader() }
    }
}
