import AsyncHTTPClient
import ErrorRoutingAsyncHTTPClient
import FaultServer
import HTTPErrors
import Testing

/// A way to send requests that everything in this package is tried on.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
    /// What a test wants of the transport.
    struct Options {
        // Long enough on a machine that others may bring to a halt for a minute.
        var timeout = Duration.seconds(300)
        var bodyLimit = 1 << 20
        // How many connections to one server may be open at once.
        var connections = 32
        // How long a transfer may go on in silence once nobody waits for it, where that does not end it at once. No
        // request may be silent for longer.
        var transferLimit = Duration.seconds(20)
    }

    typealias Body = (any HTTPTransport) async throws -> Void

    let name: String
    /// Paths at which it stops the process, so that they are tried in a process of their own.
    var fatalPaths: Set<String> = []
    /// What it makes of a change to a protocol that it has not asked for: an answer, or a head with no answer after it.
    var switchedProtocol = NetworkError.Kind.http
    /// Whether it may keep a transfer for ever that has run into its time limit, and with it the session and its
    /// connections: up to four of some 1,000 on a machine with ten times more to do than it has cores for.
    var mayKeepTransfers = false
    /// Whether it loses the head of a redirect whose body breaks off.
    var losesRedirects = false
    /// Makes a transport, runs the body with it, and shuts down whatever the transport had.
    let with: @Sendable (Options, Body) async throws -> Void

    var testDescription: String { name }

    /// Every transport: a further one is a line here.
    static let all: [TransportUnderTest] = [
        .asyncHTTPClient, .urlSession,
    ]

    static let urlSession = TransportUnderTest(
        name: "URLSession", fatalPaths: urlSessionFatalPaths, switchedProtocol: .invalidResponse,
        mayKeepTransfers: urlSessionIsOfLinux, losesRedirects: urlSessionIsOfLinux
    ) {
        options, body in
        try await body(
            URLSessionTransport(
                timeout: options.timeout, bodyLimit: options.bodyLimit, transferLimit: options.transferLimit))
    }

    #if canImport(FoundationNetworking)
        static let urlSessionFatalPaths: Set = [
            "/drop/within-headers", "/raw/header/nul-first", "/raw/header/return-first", "/raw/length/2-63",
            "/raw/redirect/ipv6", "/raw/trailer",
        ]
        static let urlSessionIsOfLinux = true
    #else
        static let urlSessionFatalPaths: Set<String> = []
        static let urlSessionIsOfLinux = false
    #endif

    static let asyncHTTPClient = TransportUnderTest(name: "async-http-client") { options, body in
        var configuration = AsyncHTTPClientTransport.configuration(bodyLimit: options.bodyLimit)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connections
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(AsyncHTTPClientTransport(client, timeout: options.timeout, bodyLimit: options.bodyLimit))
        }
    }
}

/// Runs a body with a server and with a transport, both of its own.
func withLab(
    _ transport: TransportUnderTest,
    options: TransportUnderTest.Options = .init(),
    _ body: (FaultServer, any HTTPTransport) async throws -> Void
) async throws {
    try await FaultServer.withServer { server in
        try await transport.with(options) { transport in try await body(server, transport) }
    }
}
