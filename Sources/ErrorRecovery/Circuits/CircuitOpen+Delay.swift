extension CircuitOpen {
    /// Whether the circuit is isolated and refuses calls until ``CircuitBreaker/close()``.
    public var isIsolated: Bool { (cause as? CircuitChanged)?.state == .isolated }

    /// Returns how long deferrable work, such as a queued job, should wait before its next call.
    ///
    /// ```swift
    /// while true {
    ///     do { return try await circuit.run { try await mailer.send(mail) } } catch let refusal as CircuitOpen {
    ///         try await Task.sleep(for: refusal.delay())
    ///     }
    /// }
    /// ```
    ///
    /// The circuit refused the call without running its operation, so the next call isn't a second attempt. Unlike
    /// ``retryAfter``, the delay is never nil.
    ///
    /// - Parameters:
    ///   - isolation: The delay if the circuit is isolated, because the time when it will be closed is unknown.
    ///   - trial: The delay while a trial call is in progress, because its end is unknown.
    /// - Returns: ``retryAfter``; if it is nil, the delay that fits the circuit's state.
    public func delay(
        whileIsolated isolation: Duration = .seconds(30), duringTrial trial: Duration = .seconds(1)
    ) -> Duration {
        isIsolated ? isolation : retryAfter ?? trial
    }
}
