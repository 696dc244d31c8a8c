public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A server on loopback that misbehaves as the URL specifies, and counts the requests that it receives.
///
/// It has a plain port, and a TLS port with a self-signed certificate. `Fault` lists the paths. A request that was read
/// whole is counted by its `X-Test-Id` header, whether or not the answer succeeds.
///
/// ```swift
/// try await FaultServer.withServer { server in
///     let url = server.url("/drop/after-headers")
///     …
///     #expect(server.count(of: "order-7") == 1)
/// }
/// ```
public final class FaultServer: Sendable {
    /// The certificate of the TLS port, as PEM, for clients that must trust it.
    public static var certificate: String { Certificate.pem }

    /// Returns the answer of `/fuzz/<seed>`.
    public static func fuzzedResponse(_ seed: UInt64) -> [UInt8] { FuzzedResponse.bytes(seed) }

    private let plain: any Channel
    private let secure: any Channel
    private let counts: Watched<RequestCounts>
    private let connections: Watched<[ObjectIdentifier: any Channel]>
    // The connections that have stopped reading within a request.
    private let unread: Watched<[ObjectIdentifier: any Channel]>

    private init(
        plain: any Channel,
        secure: any Channel,
        counts: Watched<RequestCounts>,
        connections: Watched<[ObjectIdentifier: any Channel]>,
        unread: Watched<[ObjectIdentifier: any Channel]>
    ) {
        self.plain = plain
        self.secure = secure
        self.counts = counts
        self.connections = connections
        self.unread = unread
    }

    /// Runs a server while a body runs.
    ///
    /// When the body has returned or thrown, the ports and all connections are closed, and the server's thread has
    /// ended.
    ///
    /// - Parameter body: The body, which uses the server.
    /// - Returns: The body's result.
    /// - Throws: The body's error, or an error if no port could be opened.
    public static func withServer<Value>(_ body: (FaultServer) async throws -> Value) async throws -> Value {
        // Use a separate thread, so that no client can block the server's event loop.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let server = try await start(on: group)
            let result: Result<Value, any Error>
            do { result = .success(try await body(server)) } catch { result = .failure(error) }
            await server.stop()
            try await group.shutdownGracefully()
            return try result.get()
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Returns the URL of a fault.
    ///
    /// - Parameters:
    ///   - path: The path, with its query.
    ///   - scheme: `http` or `https`.
    ///   - port: The port to connect to; by default the scheme's own.
    /// - Returns: The URL.
    public func url(_ path: String, scheme: Scheme = .http, port: Scheme? = nil) -> URL {
        let number = (port ?? scheme) == .http ? plainPort : securePort
        guard let url = URL(string: "\(scheme.rawValue)://127.0.0.1:\(number)\(path)") else {
            preconditionFailure("\(path) is not a path")
        }
        return url
    }

    /// The protocol that a client or a port uses.
    public enum Scheme: String, Sendable {
        /// Plain HTTP.
        case http
        /// HTTP over TLS.
        case https
    }

    /// The port for plain HTTP.
    public var plainPort: Int { plain.localAddress?.port ?? 0 }

    /// The port for HTTP over TLS.
    public var securePort: Int { secure.localAddress?.port ?? 0 }

    /// How many connections are open.
    public var openConnections: Int { connections.value.count }

    /// Returns how many requests with this `X-Test-Id` were read whole.
    public func count(of id: String) -> Int {
        counts.value.sum { $0.id == id }
    }

    /// Returns how many requests with this `X-Test-Id` were read whole on a connection that was used before.
    public func countOnKeptConnections(of id: String) -> Int {
        counts.value.sum { $0.id == id && $0.isOnKeptConnection }
    }

    /// Returns how many requests with a method, a path, or both were read whole.
    public func count(method: String? = nil, path: String? = nil) -> Int {
        counts.value.sum { (method ?? $0.method) == $0.method && (path ?? $0.path) == $0.path }
    }

    /// Waits until at least `count` requests with this `X-Test-Id` were read whole.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func waitForRequests(of id: String, count: Int = 1) async throws {
        try await counts.wait { $0.sum { $0.id == id } >= count }
    }

    /// Waits until a request to `/unread` has begun.
    ///
    /// The server reads only its head.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func waitForUnread() async throws {
        try await unread.wait { !$0.isEmpty }
    }

    /// Reads the rest of all requests that were left unread.
    public func resumeReading() {
        var channels: [any Channel] = []
        unread.update { left in
            channels = Array(left.values)
            left = [:]
        }
        for channel in channels { channel.setOption(.autoRead, value: true).whenComplete { _ in } }
    }

    /// Waits until at most `limit` connections are open.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func waitForConnections(atMost limit: Int) async throws {
        try await connections.wait { $0.count <= limit }
    }
}

extension FaultServer {
    private static func start(on group: MultiThreadedEventLoopGroup) async throws -> FaultServer {
        let counts = Watched(RequestCounts())
        let connections = Watched<[ObjectIdentifier: any Channel]>([:])
        let unread = Watched<[ObjectIdentifier: any Channel]>([:])
        let certificate = try NIOSSLCertificate(bytes: Array(Certificate.pem.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(Certificate.key.utf8), format: .pem)
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))

        func listen(_ tls: NIOSSLContext?) async throws -> any Channel {
            try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                .childChannelInitializer { channel in
                    let id = ObjectIdentifier(channel)
                    connections.update { $0[id] = channel }
                    channel.closeFuture.whenComplete { _ in connections.update { $0[id] = nil } }
                    return channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                        try pipeline.addHandler(FaultHandler(counts: counts, unread: unread))
                    }
                }
                .bind(host: "127.0.0.1", port: 0)
                .get()
        }
        let plain = try await listen(nil)
        let secure = try await listen(tls)
        return FaultServer(plain: plain, secure: secure, counts: counts, connections: connections, unread: unread)
    }

    private func stop() async {
        for listener in [plain, secure] { try? await listener.close() }
        for channel in connections.value.values { channel.close(promise: nil) }
        try? await connections.wait { $0.isEmpty }
    }
}
