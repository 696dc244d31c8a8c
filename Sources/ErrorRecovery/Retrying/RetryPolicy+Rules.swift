public import ErrorRouting

extension RetryPolicy {
    /// Retries what a matcher matches.
    ///
    /// - Parameters:
    ///   - matcher: What to match.
    ///   - cost: What such a retry takes from the budget; at least 1.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    /// - Returns: The policy with the rule, which goes before all that it had.
    public func retrying<Output>(
        matching matcher: ErrorMatcher<Output>,
        cost: Int = 1,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Self {
        changing { $0.on(matching: matcher, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Retries a type of error, a class's subclasses too; see ``retrying(matching:cost:fileID:line:)``.
    public func retrying<E: Error>(
        _ type: E.Type,
        cost: Int = 1,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Self {
        changing { $0.on(type, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Retries errors that equal one; see ``retrying(matching:cost:fileID:line:)``.
    public func retrying<E: Error & Equatable>(
        _ error: E,
        cost: Int = 1,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Self {
        changing { $0.on(error, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Retries a domain of `NSError`, or one code of it; see ``retrying(matching:cost:fileID:line:)``.
    public func retrying(
        domain: String,
        code: Int? = nil,
        cost: Int = 1,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Self {
        changing { $0.on(domain: domain, code: code, .retry(cost: checked(cost)), fileID: fileID, line: line) }
    }

    /// Does not retry what a matcher matches.
    ///
    /// - Parameters:
    ///   - matcher: What to match.
    ///   - fileID: Where the rule is registered.
    ///   - line: Where the rule is registered.
    /// - Returns: The policy with the rule, which goes before all that it had.
    public func failing<Output>(
        matching matcher: ErrorMatcher<Output>,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Self {
        changing { $0.on(matching: matcher, .fail, fileID: fileID, line: line) }
    }

    /// Does not retry a type of error, a class's subclasses too; see ``failing(matching:fileID:line:)``.
    public func failing<E: Error>(_ type: E.Type, fileID: String = #fileID, line: UInt = #line) -> Self {
        changing { $0.on(type, .fail, fileID: fileID, line: line) }
    }

    /// Does not retry errors that equal one; see ``failing(matching:fileID:line:)``.
    public func failing<E: Error & Equatable>(_ error: E, fileID: String = #fileID, line: UInt = #line) -> Self {
        changing { $0.on(error, .fail, fileID: fileID, line: line) }
    }

    /// Does not retry a domain of `NSError`, or one code of it; see ``failing(matching:fileID:line:)``.
    public func failing(
        domain: String,
        code: Int? = nil,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Self {
        changing { $0.on(domain: domain, code: code, .fail, fileID: fileID, line: line) }
    }

    /// The one way in for every verb.
    private func changing(_ change: (ErrorMap<RetryDecision>) -> ErrorMap<RetryDecision>) -> Self {
        var result = self
        result.decisions = change(decisions)
        return result
    }

    /// Refuses a cost when the rule is made, rather than when an error first meets it.
    private func checked(_ cost: Int) -> Int {
        if cost < 1 { fatalError("RetryPolicy.retrying: the cost of a retry must be at least 1, not \(cost)") }
        return cost
    }
}

// A protocol is no error type: where one is given in place of it, the compiler says what to write instead.

extension RetryPolicy {
    /// Not for protocols: use `retrying(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use retrying(matching: .conforming(to:)) for a protocol"
    )
    public func retrying<P>(
        _ type: P.Type,
        cost: Int = 1,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> Self {
        self
    }

    /// Not for protocols: use `failing(matching: .conforming(to:))`.
    @available(
        *, unavailable, message: "not a concrete error type: use failing(matching: .conforming(to:)) for a protocol"
    )
    public func failing<P>(_ type: P.Type, fileID: String = #fileID, line: UInt = #line) -> Self {
        self
    }
}
