public import AsyncHTTPClient
import Foundation
public import HTTPErrors
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Synchronization

/// A transport that sends requests with async-http-client, for services that use this client.
///
/// Each failure has the same ``NetworkError/kind`` as with `URLSession`.
///
/// ```swift
/// let client = HTTPClient(configuration: AsyncHTTPClientHTTPTransport.configuration())
/// let api = APIClient(base: url, transport: .asyncHTTPClient(client))
/// ```
public struct AsyncHTTPClientHTTPTransport: HTTPTransport {
    /// Returns a configuration that makes a client behave like `URLSession`.
    ///
    /// The client decompresses responses. It doesn't follow redirects, because `APIClient` does. If the server refuses
    /// the connection, the client fails immediately instead of retrying for ten seconds. The transport sets the time
    /// limit of a request. A connection must be established within a minute, so that shutting down the client doesn't
    /// wait longer for a server that doesn't answer.
    ///
    /// For an invalid status, such as 99 or, in HTTP/2, -1, async-http-client crashes the process. With this
    /// configuration, it throws an error instead. If an HTTP/2 server closes the connection (GOAWAY) before it has
    /// processed a stream, the stream's error shows that the request wasn't processed. After an error, an HTTP/2
    /// connection is closed instead of being reused.
    ///
    /// - Parameter bodyLimit: The maximum number of decompressed bytes of one response, because a hundred kilobytes can
    ///   decompress to a hundred megabytes. Use the same limit for the transport.
    /// - Returns: The configuration, which you can change further.
    public static func configuration(bodyLimit: Int = 1 << 20) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.decompression = .enabled(limit: .size(bodyLimit))
        configuration.redirectConfiguration = .disallow
        configuration.http1_1ConnectionDebugInitializer = StatusGuard.add
        configuration.http2ConnectionDebugInitializer = StreamGuard.add
        configuration.connectionPool.retryConnectionEstablishment = false
        // Set both limits: nil would mean no limit for reading, but ten seconds for connecting.
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .minutes(1), read: nil)
        return configuration
    }

    private let client: HTTPClient
    /// How long a response, including its body, may take if the request doesn't have a time limit.
    public let timeout: Duration?
    private let bodyLimit: Int

    /// Creates a transport that uses a client, which the caller must shut down.
    ///
    /// - Parameters:
    ///   - client: The client, preferably with ``configuration(bodyLimit:)``; it must not follow redirects.
    ///   - timeout: How long a response, including its body, may take if the request doesn't have a time limit.
    ///   - bodyLimit: The maximum number of bytes to read from a body. A longer body is truncated in the response; a
    ///     compressed body might then be empty.
    public init(_ client: HTTPClient, timeout: Duration = .seconds(60), bodyLimit: Int = 1 << 20) {
        self.client = client
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }

    /// Sends a request once, and returns the response.
    ///
    /// If the task is cancelled, the method immediately throws a `CancellationError`, and the connection is closed.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response.
    /// - Throws: A ``NetworkError``, a `URLError`, or a `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        // Limit the time to a year: SwiftNIO traps if the seconds don't fit into 64 bits.
        let limit = min(request.timeout ?? timeout ?? .seconds(60), .seconds(365 * 86_400))
        guard limit > .zero else { throw NetworkError(.timeout, cause: HTTPClientError.deadlineExceeded) }
        // Use neither the client's own deadline nor a sleeping task. The deadline covers only the head of the response,
        // so the body could take forever. A sleeping task stays in memory until its deadline, even if it is cancelled;
        // that would be a kilobyte per request.
        let exchange = Task { try await self.exchange(request) }
        let isOver = Flag()
        let timer = client.eventLoopGroup.any().scheduleTask(in: TimeAmount(limit)) {
            isOver.set()
            exchange.cancel()
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await exchange.value
            } onCancel: {
                exchange.cancel()
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if isOver.isSet { throw NetworkError(.timeout, cause: HTTPClientError.deadlineExceeded) }
            throw ErrorMapping.error(for: error)
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        // Check the port, which can come from a redirect: SwiftNIO crashes if it is out of range.
        guard request.url.port.map((0...65_535).contains) ?? true else { throw URLError(.badURL) }
        let response = try await client.execute(clientRequest(request), deadline: .distantFuture)
        let headers = HTTPErrors.HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        var result = TransportResponse(status: Int(response.status.code), headers: headers)
        // Ignore the length of responses that never contain a body.
        let isBodiless = request.method == .head || [204, 304].contains(response.status.code)
        let length = isBodiless ? nil : response.headers.first(name: "Content-Length").flatMap { Int($0) }
        do {
            for try await part in response.body {
                let bytes = part.readableBytesView.prefix(bodyLimit - result.body.count)
                result.body.append(contentsOf: bytes)
                result.isTruncated = bytes.count < part.readableBytes
                if result.isTruncated { return result }
            }
        } catch NIOHTTPDecompression.DecompressionError.limit {
            result.isTruncated = true
            return result
        } catch  where (length ?? 0) > bodyLimit && !Task.isCancelled {
            // Return the truncated response regardless of how the rest fails, because the body would have been too
            // long.
            result.isTruncated = true
            return result
        } catch {
            throw ErrorMapping.error(ofBody: error)
        }
        // Check for cancellation, because a cancelled body can end like a complete body.
        try Task.checkCancellation()
        return result
    }

    private func clientRequest(_ request: TransportRequest) -> HTTPClientRequest {
        var result = HTTPClientRequest(url: request.url.absoluteString)
        result.method = .init(rawValue: request.method.rawValue)
        for field in request.headers { result.headers.add(name: field.name, value: field.value) }
        if let body = request.body { result.body = .bytes(ByteBuffer(bytes: body)) }
        return result
    }
}

/// A flag that the timer's thread sets and the calling task reads.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

extension HTTPTransport where Self == AsyncHTTPClientHTTPTransport {
    /// A transport that sends requests with async-http-client.
    ///
    /// - Parameters:
    ///   - client: The client, preferably with ``AsyncHTTPClientHTTPTransport/configuration(bodyLimit:)``. The caller
    ///     must shut it down.
    ///   - timeout: How long a response, including its body, may take if the request doesn't have a time limit.
    ///   - bodyLimit: The maximum number of bytes to read from a body.
    /// - Returns: The transport.
    public static func asyncHTTPClient(
        _ client: HTTPClient, timeout: Duration = .seconds(60), bodyLimit: Int = 1 << 20
    ) -> Self {
        AsyncHTTPClientHTTPTransport(client, timeout: timeout, bodyLimit: bodyLimit)
    }
}
