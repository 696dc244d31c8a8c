/// What sends requests: `URLSession` by ``URLSessionTransport``, another client in a service, a closure's worth of code
/// in a test.
///
/// An answer with whatever status is an answer, and no error. What it throws an ``APIClient`` turns into a
/// ``NetworkError``: a `URLError` by its code, a ``NetworkError`` stays as it is, and anything else is
/// ``NetworkError/unknown(_:)``.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and returns the answer with its whole body.
    ///
    /// Where the task is cancelled it returns at once, by throwing a `CancellationError`, say. It keeps to the
    /// request's time limit, and bounds what it keeps of the body by throwing ``NetworkError/bodyTooLarge(limit:)``.
    ///
    /// - Parameter message: The request.
    /// - Returns: The answer.
    /// - Throws: Where there is no answer, or none that is whole.
    func send(_ message: HTTPMessage) async throws -> HTTPAnswer

    /// Whether the layer below may send a request twice by itself; false unless it says otherwise.
    ///
    /// An ``APIClient`` then never sends again by itself what must not be sent twice, for nobody knows how often it was
    /// sent already.
    var repeatsByItself: Bool { get }
}

extension HTTPTransport {
    /// No: it sends a request once, or not at all.
    public var repeatsByItself: Bool { false }
}
