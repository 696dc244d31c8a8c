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

/// Recognizes cancellations in `catching`, `rethrowing` and `task`.
enum Cancellation {
    private static let cancellation = ErrorMatcher.cancellation
    private static let transferCancellation = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Whether an error says that work was cancelled.
    static func matches(_ error: any Error) -> Bool { cancellation.match(error) != nil }

    /// What an error that was caught in the current task is posted as; nil if the task was cancelled and the error only
    /// says so, as `URLError.cancelled` does there too.
    ///
    /// In a task that nobody has cancelled, something else was, and its work is missing: a notice.
    static func role(of error: any Error) -> ErrorReport.Role? {
        let isCancellation = matches(error)
        guard Task.isCancelled else { return isCancellation ? .notice : .failure }
        return isCancellation || transferCancellation.match(error) != nil ? nil : .failure
    }
}
