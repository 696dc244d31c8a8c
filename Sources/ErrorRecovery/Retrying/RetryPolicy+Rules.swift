public import ErrorRouting

extension RetryPolicy {
    /// Returns a policy that retries errors that a matcher matches.
    ///
    /// - Parameters:
    ///   - matcher: The errors to match.
    ///   - cost: How many tokens such a retry withdraws from the budget; at least 1.
    ///   - fileID: The file that registers the rule.
    ///   - line: The line that registers the rule.
    /// - Returns: The policy with the rule, which is tried before all others.
    public func retrying<Output>(
        matching matcher: ErrorMatcher<Output>, cost: Int = 1, fileID: String = #fileID, line: UInt = #line
    ) -> Self {
        changing { $0.on(matching: matcher, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Returns a policy that retries an error type and its subclasses; see ``retrying(matching:cost:fileID:line:)``.
    public func retrying<E: Error>(
        _ type: E.Type, cost: Int = 1, fileID: String = #fileID, line: UInt = #line
    ) -> Self {
        changing { $0.on(type, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Returns a policy that retries errors that equal a given error; see ``retrying(matching:cost:fileID:line:)``.
    public func retrying<E: Error & Equatable>(
        _ error: E, cost: Int = 1, fileID: String = #fileID, line: UInt = #line
    ) -> Self {
        changing { $0.on(error, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Returns a policy that retries an `NSError` domain or one of its codes; see
    /// ``retrying(matching:cost:fileID:line:)``.
    public func retrying(
        domain: String, code: Int? = nil, cost: Int = 1, fileID: String = #fileID, line: UInt = #line
    ) -> Self {
        changing { $0.on(domain: domain, code: code, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Returns a policy that doesn't retry errors that a matcher matches.
    ///
    /// - Parameters:
    ///   - matcher: The errors to match.
    ///   - fileID: The file that registers the rule.
    ///   - line: The line that registers the rule.
    /// - Returns: The policy with the rule, which is tried before all others.
    public func notRetrying<Output>(
        matching matcher: ErrorMatcher<Output>, fileID: String = #fileID, line: UInt = #line
    ) -> Self {
        changing { $0.on(matching: matcher, .fail, fileID: fileID, line: line) }
    }

    /// Returns a policy that doesn't retry an error type and its subclasses; see
    /// ``notRetrying(matching:fileID:line:)``.
    public func notRetrying<E: Error>(_ type: E.Type, fileID: String = #fileID, line: UInt = #line) -> Self {
        changing { $0.on(type, .fail, fileID: fileID, line: line) }
    }

    /// Returns a policy that doesn't retry errors that equal a given error; see ``notRetrying(matching:fileID:line:)``.
    public func notRetrying<E: Error & Equatable>(_ error: E, fileID: String = #fileID, line: UInt = #line) -> Self {
        changing { $0.on(error, .fail, fileID: fileID, line: line) }
    }

    /// Returns a policy that doesn't retry an `NSError` domain or one of its codes; see
    /// ``notRetrying(matching:fileID:line:)``.
    public func notRetrying(domain: String, code: Int? = nil, fileID: String = #fileID, line: UInt = #line) -> Self {
        changing { $0.on(domain: domain, code: code, .fail, fileID: fileID, line: line) }
    }

    /// Returns the policy with changed rules.
    private func changing(_ change: (ErrorMap<RetryDecision>) -> ErrorMap<RetryDecision>) -> Self {
        var result = self
        result.decisions = change(decisions)
        return result
    }

    /// Traps on an invalid cost when the rule is added, not when an error first matches it.
    private func checked(_ cost: Int) -> Int {
        if cost < 1 { fatalError("RetryPolicy.retrying: the cost of a retry must be at least 1, not \(cost)") }
        return cost
    }
}

// These overloads produce a helpful compiler message if a caller passes a protocol, which isn't a concrete error type.

extension RetryPolicy {
    /// Unavailable for protocols: use `retrying(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use retrying(matching: .conforming(to:)) for a protocol"
    )
    public func retrying<P>(_ type: P.Type, cost: Int = 1, fileID: String = #fileID, line: UInt = #line) -> Self {
        self
    }

    /// Unavailable for protocols: use `notRetrying(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use notRetrying(matching: .conforming(to:)) for a protocol"
    )
    public func notRetrying<P>(_ type: P.Type, fileID: String = #fileID, line: UInt = #line) -> Self {
        self
    }
}
