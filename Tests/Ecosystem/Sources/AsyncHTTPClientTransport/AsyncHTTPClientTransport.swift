public import AsyncHTTPClient
import Foundation
public import HTTPErrors
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Synchronization

/// Sends requests by async-http-client, for services that have one.
///
/// What goes wrong is of the same ``NetworkError/kind`` as it is by `URLSession`.
///
/// ```swift
/// let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration())
/// let api = APIClient(base: url, transport: AsyncHTTPClientTransport(client))
/// ```
public struct AsyncHTTPClientTransport: HTTPTransport {
    /// What makes a client behave as `URLSession` does.
    ///
    /// It unpacks compressed responses, follows twenty redirects and not five, the same URL twice included, and says at
    /// once that nobody listens, where it would otherwise try again for ten seconds. How long all of it may take is the
    /// transport's to say.
    ///
    /// - Parameter bodyLimit: How many bytes are unpacked of one answer: a hundred kilobytes can hold a hundred
    ///   megabytes, and come in two pieces. The transport should have the same.
    /// - Returns: The configuration, to be changed further.
    public static func configuration(bodyLimit: Int = 1 << 20) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.decompression = .enabled(limit: .size(bodyLimit))
        configuration.redirectConfiguration = .follow(max: 20, allowCycles: true)
        configuration.connectionPool.retryConnectionEstablishment = false
        // None for reading; for connecting, none would be ten seconds.
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .minutes(10), read: nil)
        return configuration
    }

    private let client: HTTPClient
    private let timeout: Duration
    private let bodyLimit: Int

    /// Makes a transport on a client, which stays the caller's to shut down.
    ///
    /// - Parameters:
    ///   - client: The client, best with ``configuration(bodyLimit:)``.
    ///   - timeout: How long an answer may take, its body included, where the request does not say.
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
        // The client's own deadline ends with the head of the answer, and would let a body drip for ever. And a task
        // that sleeps is kept until its time even if it is cancelled, a kilobyte for each request: a timer is not.
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
        // A length that is declared is believed at once, but not that of what a HEAD does not send.
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
        // A cancelled body may end as a whole one does.
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

/// Something that happened, or did not yet.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
