/// An error that might mean that work was cancelled, not that something went wrong.
///
/// If a library has its own cancellation error, one extension makes all matchers, presets, and posters recognize it:
///
/// ```swift
/// extension HTTPClientError: @retroactive CancellationConvertible {
///     public var isCancellation: Bool { self == .cancelled }
/// }
/// ```
public protocol CancellationConvertible: Error {
    /// Whether this error means that work was cancelled.
    var isCancellation: Bool { get }
}

extension ErrorMatcher where Output == any Error {
    /// Matches the errors of cancelled work.
    ///
    /// These are `CancellationError` and each ``CancellationConvertible`` error with a true
    /// ``CancellationConvertible/isCancellation``. The result depends on the error alone, not on the current task.
    /// `URLError.cancelled` doesn't match, because a server or a session might have caused it.
    ///
    /// - Complexity: O(1); a handler checks only errors that conform to ``CancellationConvertible``.
    public static var cancellation: Self {
        let convertible = ErrorMatcher<any CancellationConvertible>.conforming(to: (any CancellationConvertible).self)
            .where(\.isCancellation)
        let matcher = ErrorMatcher<CancellationError>.type(CancellationError.self) || convertible
        return matcher.described(as: .cancellation(matcher.shape))
    }
}
