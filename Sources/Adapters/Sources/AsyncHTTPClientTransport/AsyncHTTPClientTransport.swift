public import AsyncHTTPClient
import Foundation
public import HTTPErrors
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
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
    /// The client decompresses responses, and follows no redirect, which `APIClient` does. If nobody listens, it fails
    /// at once, instead of trying again for ten seconds. The transport sets the time limit of a request. A response
    /// with a status below 100, for which async-http-client stops the process, is an error.
    ///
    /// - Parameter bodyLimit: How many bytes of one response are decompressed: a hundred kilobytes can decompress to a
    ///   hundred megabytes, in two pieces. The transport should have the same limit.
    /// - Returns: The configuration, to be changed further.
    public static func configuration(bodyLimit: Int = 1 << 20) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.decompression = .enabled(limit: .size(bodyLimit))
        configuration.redirectConfiguration = .disallow
        configuration.http1_1ConnectionDebugInitializer = StatusGuard.add
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
    ///   - client: The client, best with ``configuration(bodyLimit:)``; it must not follow redirects.
    ///   - timeout: How long a response may take, its body included, if the request has no time limit.
    ///   - bodyLimit: How many bytes of a body are accepted.
    public init(_ client: HTTPClient, timeout: Duration = .seconds(60), bodyLimit: Int = 1 << 20) {
        self.client = client
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }

    /// Sends a request, once, and returns the response with its whole body.
    ///
    /// A cancelled task gets a `CancellationError` at once, and the connection is closed.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: A ``NetworkError``, a `URLError`, or a `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let limit = request.timeout ?? timeout
        guard limit > .zero else { throw NetworkError(.timeout, cause: HTTPClientError.deadlineExceeded) }
        // Not the client's own deadline, which covers only the head of the response: the body could take for ever. And
        // not a sleeping task, which stays in memory until its time even if it is cancelled, a kilobyte for each
        // request.
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
            throw EvenedOut.error(for: error, bodyLimit: bodyLimit)
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        // For any other port, which a redirect may name too, SwiftNIO stops the process.
        guard request.url.port.map((0...65_535).contains) ?? true else { throw URLError(.badURL) }
        let response = try await client.execute(clientRequest(request), deadline: .distantFuture)
        // Fails at once for a declared length above the limit; but some responses declare one, and have no body.
        let isBodiless = request.method == "HEAD" || [204, 304].contains(response.status.code)
        if !isBodiless, let length = response.headers.first(name: "Content-Length").flatMap({ Int($0) }),
            length > bodyLimit
        {
            throw EvenedOut.tooLarge(bodyLimit)
        }
        var body = Data()
        for try await part in response.body {
            guard body.count + part.readableBytes <= bodyLimit else {
                throw EvenedOut.tooLarge(bodyLimit)
            }
            body.append(contentsOf: part.readableBytesView)
        }
        // A cancelled body may end in the same way as a complete one.
        try Task.checkCancellation()
        let headers = HTTPErrors.HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        return TransportResponse(status: Int(response.status.code), headers: headers, body: body)
    }

    private func clientRequest(_ request: TransportRequest) -> HTTPClientRequest {
        var result = HTTPClientRequest(url: request.url.absoluteString)
        result.method = HTTPMethod(rawValue: request.method)
        for field in request.headers.fields { result.headers.add(name: field.name, value: field.value) }
        if let body = request.body { result.body = .bytes(ByteBuffer(bytes: body)) }
        return result
    }
}

/// An atomic flag.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

/// Maps the errors of async-http-client, and of the libraries that it uses, to those of `URLSession`.
///
/// The original error stays the cause, so that rules can still match it. An unknown error stays as it is.
private enum EvenedOut {
    static func error(for error: any Error, bodyLimit: Int) -> any Error {
        switch error {
        case let error as HTTPClientError: client(error)
        case let error as NIOConnectionError: connecting(error)
        case let error as ChannelError: channel(error)
        case let error as IOError: system(error)
        case is SocketAddressError: lost(.cannotFindHost, error)
        case let error as HTTPParserError: parser(error)
        case NIOHTTPDecompression.DecompressionError.limit: tooLarge(bodyLimit)
        case is NIOHTTPDecompression.DecompressionError: NetworkError(.invalidResponse, cause: error)
        case is NIOHTTPDecompression.ExtraDecompressionError: NetworkError(.invalidResponse, cause: error)
        case let error as NIOSSLError: tls(error)
        case is NIOSSLExtraError: lost(.serverCertificateUntrusted, error)
        // Errors of TLS after the connection was made.
        case is BoringSSLError, is NIOSSLCloseTimedOutError: lost(.networkConnectionLost, error)
        default: error
        }
    }

    /// Returns the error of a connection that failed, with what async-http-client says of it under the code.
    private static func lost(_ code: URLError.Code, _ cause: any Error) -> NetworkError {
        NetworkError(.connection, cause: URLError(code, userInfo: [NSUnderlyingErrorKey: cause]))
    }

    static func tooLarge(_ limit: Int) -> NetworkError {
        NetworkError(.bodyTooLarge, detail: "more than \(limit) bytes")
    }

    private static func client(_ error: HTTPClientError) -> any Error {
        switch error {
        case .cancelled: return CancellationError()
        case .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout,
            .socksHandshakeTimeout, .httpProxyHandshakeTimeout, .getConnectionFromPoolTimeout:
            return NetworkError(.timeout, cause: error)
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled:
            return lost(.networkConnectionLost, error)
        case .redirectLimitReached, .redirectCycleDetected, .invalidProxyResponse:
            return NetworkError(.invalidResponse, cause: error)
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath:
            return URLError(.badURL)
        case .bodyLengthMismatch, .identityCodingIncorrectlyPresent, .contentLengthMissing, .traceRequestWithBody:
            return NetworkError(.encoding, cause: error)
        default:
            break
        }
        // These errors have associated values, and so equal no constant. Values of headers must not come into logs.
        return switch error.shortDescription {
        case HTTPClientError.unsupportedScheme("").shortDescription: URLError(.unsupportedURL)
        case HTTPClientError.invalidHeaderFieldNames([]).shortDescription: NetworkError(.encoding, cause: error)
        case HTTPClientError.invalidHeaderFieldValues([]).shortDescription:
            NetworkError(.encoding, cause: HTTPClientError.invalidHeaderFieldValues([]))
        case HTTPClientError.serverOfferedUnsupportedApplicationProtocol("").shortDescription:
            NetworkError(.invalidResponse, cause: error)
        default: error
        }
    }

    private static func connecting(_ error: NIOConnectionError) -> any Error {
        let failures = error.connectionErrors.map(\.error)
        if failures.isEmpty { return lost(.cannotFindHost, error) }
        if failures.contains(where: { if case ChannelError.connectTimeout = $0 { true } else { false } }) {
            return NetworkError(.timeout, cause: error)
        }
        return lost(.cannotConnectToHost, error)
    }

    private static func channel(_ error: ChannelError) -> any Error {
        switch error {
        case .connectTimeout: NetworkError(.timeout, cause: error)
        case .ioOnClosedChannel, .alreadyClosed, .eof, .inputClosed, .outputClosed: lost(.networkConnectionLost, error)
        default: error
        }
    }

    private static func system(_ error: IOError) -> any Error {
        switch error.errnoCode {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL: lost(.cannotConnectToHost, error)
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN, ESHUTDOWN: lost(.networkConnectionLost, error)
        case ETIMEDOUT: NetworkError(.timeout, cause: error)
        default: error
        }
    }

    private static func parser(_ error: HTTPParserError) -> any Error {
        switch error {
        // The connection ended before the declared length was read.
        case .invalidEOFState, .closedConnection: lost(.networkConnectionLost, error)
        default: NetworkError(.invalidResponse, cause: error)
        }
    }

    private static func tls(_ error: NIOSSLError) -> any Error {
        switch error {
        case .handshakeFailed(let cause):
            // BoringSSL's reason is available only as text.
            let isUntrusted = String(describing: cause).contains("CERTIFICATE_VERIFY_FAILED")
            return lost(isUntrusted ? .serverCertificateUntrusted : .secureConnectionFailed, error)
        case .noCertificateToValidate, .unableToValidateCertificate:
            return lost(.serverCertificateUntrusted, error)
        case .uncleanShutdown, .shutdownFailed, .readInInvalidTLSState, .writeDuringTLSShutdown:
            return lost(.networkConnectionLost, error)
        default:
            return lost(.secureConnectionFailed, error)
        }
    }
}

/// Ends a connection on which a response has a status below 100.
///
/// async-http-client takes such a status for one that only announces a response, and traps when its body comes.
private final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var hasEnded = false

    /// Adds a guard to a connection, between the parser and the client's own handlers.
    @Sendable
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGuard(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasEnded { return }
        guard case .head(let head) = unwrapInboundIn(data), head.status.code < 100 else {
            return context.fireChannelRead(data)
        }
        hasEnded = true
        context.fireErrorCaught(HTTPParserError.invalidStatus)
        context.close(promise: nil)
    }
}
