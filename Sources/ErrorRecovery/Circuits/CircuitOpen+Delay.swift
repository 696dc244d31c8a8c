extension CircuitOpen {
    /// Whether the circuit is isolated, so that it refuses calls until ``CircuitBreaker/close()``.
    public var isIsolated: Bool { (cause as? CircuitChanged)?.state == .isolated }

    /// Returns how long work that can wait, such as a job in a queue, should wait before its next call.
    ///
    /// ```swift
    /// while true {
    ///     do { return try await circuit.run { try await mailer.send(mail) } } catch let refusal as CircuitOpen {
    ///         try await Task.sleep(for: refusal.delay())
    ///     }
    /// }
    /// ```
    ///
    /// The circuit refused the call without running its operation, so the next call isn't another attempt. Unlike
    /// ``retryAfter``, the delay is never nil.
    ///
    /// - Parameters:
    ///   - isolation: The delay if the circuit is isolated, because the circuit doesn't know when it will be closed.
    ///   - trial: The delay while a trial call is under way, because its end is unknown.
    /// - Returns: ``retryAfter``; if it is nil, one of the two delays.
    public func delay(
        whileIsolated isolation: Duration = .seconds(30), duringTrial trial: Duration = .seconds(1)
    ) -> Duration {
        isIsolated ? isolation : retryAfter ?? trial
    }
}
