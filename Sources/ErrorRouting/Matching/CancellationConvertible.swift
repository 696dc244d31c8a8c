/// An error that might mean that work was cancelled and nothing went wrong.
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
