public import ErrorRouting

extension ErrorMatcher where Output == NetworkError {
    /// Matches network errors of some kinds.
    ///
    /// ```swift
    /// .on(matching: .network(.networkUnavailable, .connection)) { error in … }
    /// ```
    ///
    /// - Parameter kinds: The kinds.
    /// - Returns: The matcher.
    public static func network(_ kinds: NetworkError.Kind...) -> Self {
        let set = Set(kinds)
        let names = kinds.map { ".\($0.rawValue)" }.joined(separator: ", ")
        return .type(NetworkError.self).where { set.contains($0.kind) }.named("network(\(names))")
    }

    /// Matches network errors that come from an answer whose status is in a range.
    ///
    /// - Parameter range: The statuses.
    /// - Returns: The matcher.
    public static func status(_ range: ClosedRange<Int>) -> Self {
        .type(NetworkError.self)
            .where { $0.failure.map { range.contains($0.status) } ?? false }
            .named("status(\(range.lowerBound)...\(range.upperBound))")
    }

    /// Matches what may pass: time-outs, connections, and the statuses 408, 425, 429, 500, 502, 503 and 504.
    public static var transient: Self {
        .type(NetworkError.self).where(\.isTransient).named("transient")
    }
}
