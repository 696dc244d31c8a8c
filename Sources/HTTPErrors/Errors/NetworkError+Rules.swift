public import ErrorRouting

extension ErrorMatcher where Output == NetworkError {
    /// Matches network errors of the given kinds.
    ///
    /// ```swift
    /// .on(matching: .network(.networkUnavailable, .connection)) { error in … }
    /// ```
    ///
    /// - Parameter kinds: The kinds to match.
    /// - Returns: The matcher.
    public static func network(_ kinds: NetworkError.Kind...) -> Self {
        let set = Set(kinds)
        let names = kinds.map { ".\($0.rawValue)" }.joined(separator: ", ")
        return .type(NetworkError.self).where { set.contains($0.kind) }.named("network(\(names))")
    }

    /// Matches network errors from responses with a given status.
    ///
    /// - Parameter status: The status to match.
    /// - Returns: The matcher.
    public static func status(_ status: Int) -> Self {
        .type(NetworkError.self).where { $0.failure?.status == status }.named("status(\(status))")
    }

    /// Matches network errors from responses with a status in a given range.
    ///
    /// - Parameter range: The statuses to match.
    /// - Returns: The matcher.
    public static func status(_ range: ClosedRange<Int>) -> Self {
        .type(NetworkError.self)
            .where { $0.failure.map { range.contains($0.status) } ?? false }
            .named("status(\(range.lowerBound)...\(range.upperBound))")
    }

    /// Matches errors that might be temporary: timeouts, connection errors, and the statuses 408, 425, 429, 500, 502,
    /// 503, 504, and 520 to 530, which a proxy sends if it can't reach the service.
    ///
    /// An error doesn't match if its request must not be sent again; see ``NetworkError/mayBeSentAgain``.
    public static var transient: Self {
        .type(NetworkError.self).where(\.isTransient).named("transient")
    }

    /// Matches errors that indicate that the service is down: connection errors, timeouts, and the statuses 408 and 500
    /// to 599.
    ///
    /// Use it for circuits. Unlike ``transient``, it also matches the error of a request that must not be sent again,
    /// because the timeout of a POST indicates as much about the service as the timeout of a GET.
    ///
    /// A service's own error matches if its response has one of these statuses. The error of a client that was shut
    /// down doesn't match. Neither does the error of a request that was never sent because it had no time left.
    ///
    /// ```swift
    /// let shop = CircuitBreaker("shop", counting: .outage)
    /// ```
    public static var outage: Self {
        .type(NetworkError.self).where(\.isOutage).named("outage")
    }
}

extension ErrorHandler {
    /// Returns rules that most applications with a server need.
    ///
    /// Overlay them on the application's own rules:
    ///
    /// ```swift
    /// let handler = ErrorHandler.default.overlaid(
    ///     with: .networking(onUnauthorized: { _ in await Session.shared.signOut(); return .stop })
    /// )
    /// ```
    ///
    /// An action that is nil doesn't add a rule.
    ///
    /// - Parameters:
    ///   - onUnauthorized: The action for `unauthorized`: the user isn't signed in, or the sign-in has expired.
    ///   - onOffline: The action for `networkUnavailable`: this device has no network.
    ///   - onServerError: The action for `server`: the server failed.
    ///   - fileID: The file that registers the rules.
    ///   - line: The line that registers the rules.
    /// - Returns: The handler.
    public static func networking(
        onUnauthorized: (@Sendable (NetworkError) async throws -> HandleStrategy)? = nil,
        onOffline: (@Sendable (NetworkError) async throws -> HandleStrategy)? = nil,
        onServerError: (@Sendable (NetworkError) async throws -> HandleStrategy)? = nil,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> ErrorHandler {
        let rules: [(ErrorMatcher<NetworkError>, (@Sendable (NetworkError) async throws -> HandleStrategy)?)] = [
            (.network(.server), onServerError),
            (.network(.networkUnavailable), onOffline),
            (.network(.unauthorized), onUnauthorized),
        ]
        return rules.reduce(ErrorHandler()) { handler, rule in
            guard let action = rule.1 else { return handler }
            return handler.on(matching: rule.0, fileID: fileID, line: line) { error in try await action(error) }
        }
    }
}
