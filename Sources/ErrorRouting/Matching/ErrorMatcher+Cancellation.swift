import Foundation

/// An error that can say that work was cancelled, and nothing went wrong.
///
/// For a library's own kind of cancellation, one line tells all matchers, presets and posters of it:
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
    /// Matches the end of work that was cancelled: `CancellationError`, and what says so by
    /// ``CancellationConvertible``.
    ///
    /// It goes by the error alone, whatever task asks. `URLError.cancelled` is not among these, since a server or a
    /// session may be its cause as well.
    ///
    /// - Complexity: O(1); a handler asks only errors that conform.
    public static var cancellation: Self {
        let says = ErrorMatcher<any CancellationConvertible>.conforming(to: (any CancellationConvertible).self)
            .where(\.isCancellation)
        return (ErrorMatcher<CancellationError>.type(CancellationError.self) || says).named("cancellation")
    }
}

/// What tasks do not post when they end.
enum Cancellation {
    private static let said = ErrorMatcher.cancellation
    private static let ofTransfer = ErrorMatcher.type(URLError.self).where { $0.code == .cancelled }

    /// Whether an error is the end of the work of this task, which nobody has to hear of.
    ///
    /// In a cancelled task a transfer that was cancelled is that too.
    static func isEnd(_ error: any Error) -> Bool {
        said.match(error) != nil || Task.isCancelled && ofTransfer.match(error) != nil
    }
}
