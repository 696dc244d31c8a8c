public import AsyncHTTPClient
public import Hummingbird
import NIOCore

extension Request {
    /// Returns the request's body for a request to another service; nil if the body is empty.
    ///
    /// ```swift
    /// var outgoing = HTTPClientRequest(url: "http://localhost:9100/labels")
    /// outgoing.body = try await request.collectedBody(upTo: 1 << 20)
    /// ```
    ///
    /// The body is complete before the other service receives anything. Don't pass `request.body` itself, as in
    /// `.stream(request.body)`: if the other service answers or resets the connection before it has read the body,
    /// Hummingbird 2.28 can crash the process, even if the request doesn't have a body.
    ///
    /// - Parameter limit: The maximum size of the body in bytes.
    /// - Returns: The body.
    /// - Throws: An `HTTPError` with the status 413 if the body is longer, or the error of a broken connection.
    public func collectedBody(upTo limit: Int) async throws -> HTTPClientRequest.Body? {
        do {
            let bytes = try await body.collect(upTo: limit)
            return bytes.readableBytes == 0 ? nil : .bytes(bytes)
        } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
    }
}
