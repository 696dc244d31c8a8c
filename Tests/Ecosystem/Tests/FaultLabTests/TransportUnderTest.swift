import AsyncHTTPClient
import ErrorRoutingAsyncHTTPClient
import FaultServer
import HTTPErrors
import Testing

/// A transport that the lab tests.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
    /// A test's options for a transport.
    struct Options {
        // Long enough for a machine on which other work can take all processor time for a minute.
        var timeout = Duration.seconds(300)
        var bodyLimit = 1 << 20
        // How many connections to one server may be open at the same time.
        var connections = 32
        // How long a transfer without a waiting caller may continue without receiving bytes, if the transport doesn't
        // end it immediately. This also limits how long a request may wait for bytes.
        var transferLimit = Duration.seconds(20)
    }

    typealias Body = (any HTTPTransport) async throws -> Void

    let name: String
    /// The paths that crash the process, so they are tested in a separate process.
    var fatalPaths: Set<String> = []
    /// The kind for a switch to a protocol that wasn't requested: the 101 counts as a response, or as a head without
    /// one.
    var switchedProtocol = NetworkError.Kind.http
    /// Whether the transport might keep a transfer forever after its time limit, with its session and connections.
    ///
    /// That happened to up to four of about 1,000 transfers, on a machine with ten times more work than cores.
    var mayKeepTransfers = false
    /// Whether the transport collects the body of a redirect before it has the head.
    ///
    /// It loses the head if the connection breaks in the body, and can't cancel the transfer while the body arrives.
    var losesRedirects = false
    /// Creates a transport, runs the body with it, and shuts down what the transport used.
    let with: @Sendable (Options, Body) async throws -> Void

    var testDescription: String { name }

    /// All transports.
    ///
    /// Add a new transport here.
    static let all: [TransportUnderTest] = [
        .asyncHTTPClient, .urlSession,
    ]

    static let urlSession = TransportUnderTest(
        name: "URLSession", fatalPaths: urlSessionFatalPaths, switchedProtocol: .invalidResponse,
        mayKeepTransfers: usesLinuxURLSession, losesRedirects: usesLinuxURLSession
    ) {
        options, body in
        try await body(
            URLSessionHTTPTransport(
                timeout: options.timeout, bodyLimit: options.bodyLimit, transferLimit: options.transferLimit))
    }

    #if canImport(FoundationNetworking)
        static let urlSessionFatalPaths: Set = [
            "/drop/within-headers", "/raw/header/nul-first", "/raw/header/return-first", "/raw/length/2-63",
            "/raw/redirect/ipv6", "/raw/trailer",
        ]
        static let usesLinuxURLSession = true
    #else
        static let urlSessionFatalPaths: Set<String> = []
        static let usesLinuxURLSession = false
    #endif

    static let asyncHTTPClient = TransportUnderTest(name: "async-http-client") { options, body in
        var configuration = AsyncHTTPClientHTTPTransport.configuration(bodyLimit: options.bodyLimit)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connections
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await body(AsyncHTTPClientHTTPTransport(client, timeout: options.timeout, bodyLimit: options.bodyLimit))
        }
    }
}

/// Runs a body with its own server and its own transport.
func withLab(
    _ transport: TransportUnderTest,
    options: TransportUnderTest.Options = .init(),
    _ body: (FaultServer, any HTTPTransport) async throws -> Void
) async throws {
    try await FaultServer.withServer { server in
        try await transport.with(options) { transport in try await body(server, transport) }
    }
}
