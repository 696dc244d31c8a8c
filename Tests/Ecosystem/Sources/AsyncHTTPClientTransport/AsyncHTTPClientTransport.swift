public import AsyncHTTPClient
import Foundation
public import HTTPErrors
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Synchronization

/// A transport that sends requests with async-http-client, for services that use this client.
///
/// A failure has the same ``NetworkError/kind`` as with `URLSession`.
///
/// ```swift
/// let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration())
/// let api = APIClient(base: url, transport: AsyncHTTPClientTransport(client))
/// ```
public struct AsyncHTTPClientTransport: HTTPTransport {
    /// Returns a configuration that makes a client behave as `URLSession` does.
    ///
    /// The client decompresses responses and follows up to twenty redirects, also to the same URL twice. If nobody
    /// listens, it fails at once, instead of trying again for ten seconds. The transport sets the time limit of a
    /// request.
    ///
    /// - Parameter bodyLimit: How many bytes of one answer are decompressed: a hundred kilobytes can decompress to a
    ///   hundred megabytes, in two pieces. The transport should have the same limit.
    /// - Returns: The configuration, to be changed further.
    public static func configuration(bodyLimit: Int = 1 << 20) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.decompression = .enabled(limit: .size(bodyLimit))
        configuration.redirectConfiguration = .follow(max: 20, allowCycles: true)
        configuration.connectionPool.retryConnectionEstablishment = false
        // Nil means no limit for reading, but ten seconds for connecting.
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .minutes(10), read: nil)
        return configuration
    }

    private let client: HTTPClient
    private let timeout: Duration
    private let bodyLimit: Int

    /// Makes a transport that uses a client; the caller has to shut down the client.
    ///
    /// - Parameters:
    ///   - client: The client, best with ``configuration(bodyLimit:)``.
    ///   - timeout: How long an answer may take, its body included, if the request has no time limit.
    ///   - bodyLimit: How many bytes of a body are accepted.
    public init(_ client: HTTPClient, timeout: Duration = .seconds(60), bodyLimit: Int = 1 << 20) {
        self.client = client
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }

    /// Sends a request, once, and returns the answer with its whole body.
    ///
    /// A cancelled task gets a `CancellationError` at once, and the connection is closed.
    ///
    /// - Parameter message: The request.
    /// - Returns: The answer.
    /// - Throws: A ``NetworkError``, a `URLError`, or a `CancellationError`.
    public func send(_ message: HTTPMessage) async throws -> HTTPAnswer {
        // Not the client's own deadline, which covers only the head of the answer: the body could take for ever. And
        // not a sleeping task, which stays in memory until its time even if it is cancelled, a kilobyte for each
        // request.
        let exchange = Task { try await self.exchange(message) }
        let isOver = Flag()
        let timer = client.eventLoopGroup.any().scheduleTask(in: TimeAmount(message.timeout ?? timeout)) {
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
            if isOver.isSet { throw NetworkError.timeout(HTTPClientError.deadlineExceeded) }
            throw EvenedOut.error(for: error, bodyLimit: bodyLimit)
        }
    }

    private func exchange(_ message: HTTPMessage) async throws -> HTTPAnswer {
        let response = try await client.execute(request(message), deadline: .distantFuture)
        // Fails at once for a declared length above the limit; but an answer to HEAD declares a length without a body.
        if message.method != "HEAD", let length = response.headers.first(name: "Content-Length").flatMap({ Int($0) }),
            length > bodyLimit
        {
            throw NetworkError.bodyTooLarge(limit: bodyLimit)
        }
        var body = Data()
        for try await part in response.body {
            guard body.count + part.readableBytes <= bodyLimit else {
                throw NetworkError.bodyTooLarge(limit: bodyLimit)
            }
            body.append(contentsOf: part.readableBytesView)
        }
        // A cancelled body may end in the same way as a complete one.
        try Task.checkCancellation()
        let headers = HTTPErrors.HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        return HTTPAnswer(status: Int(response.status.code), headers: headers, body: body)
    }

    private func request(_ message: HTTPMessage) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: message.url.absoluteString)
        request.method = HTTPMethod(rawValue: message.method)
        for field in message.headers.fields { request.headers.add(name: field.name, value: field.value) }
        if let body = message.body { request.body = .bytes(ByteBuffer(bytes: body)) }
        return request
    }
}

/// An atomic flag.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
