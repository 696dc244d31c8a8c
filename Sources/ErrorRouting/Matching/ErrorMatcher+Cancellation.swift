import Foundation

/// An error that may mean that work was cancelled and nothing went wrong.
///
/// If a library has its own cancellation error, one line makes all matchers, presets and posters recognize it:
///
/// ```swift
/// extension HTTPClientError: @retroactive CancellationConvertible {
///     public var isCancellation: Bool { self == .cancelled }
/// }
/// ```
public protocol CancellationConvertible: Error {
    /// Whether this error says that work was cancelled.
    var isCancellation: Bool { get }
}

extension ErrorMatcher where Output == any Error {
    /// Matches the errors of cancelled work: `CancellationError`, and each ``CancellationConvertible`` error whose
    /// ``CancellationConvertible/isCancellation`` is true.
    ///
    /// The result depends on the error alone, not on the current task. `URLError.cancelled` does not match, because a
    /// server or a session may have caused it.
    ///
    /// - Complexity: O(1); a handler asks only errors that conform to ``CancellationConvertible``.
    public static var cancellation: Self {
        let convertible = ErrorMatcher<any CancellationConvertible>.conforming(to: (any CancellationConvertible).self)
            .where(\.isCancellation)
        return (ErrorMatcher<CancellationError>.type(CancellationError.self) || convertible).named("cancellation")
    }
}
