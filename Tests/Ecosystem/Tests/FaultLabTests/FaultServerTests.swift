import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingAsyncHTTPClient
import FaultServer
import Foundation
import HTTPErrors
import NIOCore
import NIOSSL
import Testing

extension FaultLab {
    @Suite("The fault server misbehaves as requested, and counts requests and connections")
    struct FaultServerTests {
        private let transport = TransportUnderTest.asyncHTTPClient

        @Test("Requests are counted by ID, by method, and by path")
        func counting() async throws {
            try await withLab(transport) { server, client in
                for number in 0..<6 {
                    let id = number % 2 == 0 ? "even" : "odd"
                    let message = TransportRequest(
                        method: number < 4 ? .get : .post, url: server.url("/json?n=\(number)"),
                        headers: ["X-Test-Id": id])
                    _ = try await client.send(message)
                }
                #expect(server.count(of: "even") == 3 && server.count(of: "odd") == 3 && server.count(of: "none") == 0)
                #expect(server.count(method: "POST") == 2 && server.count(path: "/json") == 6)
                #expect(server.count(method: "GET", path: "/other") == 0)
            }
        }

        @Test("A request counts as sent on a kept connection only if an earlier request used that connection")
        func keptConnections() async throws {
            try await withLab(transport) { server, client in
                for id in ["first", "second"] {
                    _ = try await client.send(TransportRequest(url: server.url("/json"), headers: ["X-Test-Id": id]))
                }
                #expect(server.countOnKeptConnections(of: "first") == 0)
                // The pool might have opened another connection because the first connection was returned to the pool
                // too late.
                #expect(server.countOnKeptConnections(of: "second") <= 1)
                #expect(server.count(of: "second") == 1)
            }
        }

        @Test("Connections are counted while they are open, and no connection is open after the client has shut down")
        func connections() async throws {
            try await FaultServer.withServer { server in
                try await transport.with(.init()) { client in
                    let message = TransportRequest(url: server.url("/hang"), headers: ["X-Test-Id": "hang"])
                    let hanging = Task { await Observation(sending: message, by: client) }
                    try await server.waitForRequests(of: "hang")
                    #expect(server.openConnections == 1)
                    hanging.cancel()
                    _ = await hanging.value
                }
                try await server.waitForConnections(atMost: 0)
            }
        }

        @Test("A server closes its descriptors when it ends")
        func descriptors() async throws {
            try await FaultServer.withServer { _ in }
            let before = ProcessFigures.now?.descriptors
            for _ in 0..<20 {
                try await FaultServer.withServer { server in #expect(server.plainPort != server.securePort) }
            }
            #expect(ProcessFigures.now?.descriptors == before)
        }

        @Test("An unread request is complete after the server resumes reading")
        func unread() async throws {
            try await withLab(transport) { server, client in
                let message = TransportRequest(
                    method: .put, url: server.url("/unread"), headers: ["X-Test-Id": "upload"],
                    body: Data(count: 64 << 20))
                async let observation = Observation(sending: message, by: client)
                try await server.waitForUnread()
                #expect(server.count(of: "upload") == 0)
                server.resumeReading()
                #expect(await observation.outcome == .success(200))
                #expect(server.count(of: "upload") == 1)
            }
        }

        @Test("All connections end when the server ends")
        func ending() async throws {
            try await transport.with(.init()) { client in
                let hanging = try await FaultServer.withServer { server in
                    let message = TransportRequest(url: server.url("/hang"), headers: ["X-Test-Id": "hang"])
                    let hanging = Task { await Observation(sending: message, by: client) }
                    try await server.waitForRequests(of: "hang")
                    return hanging
                }
                #expect(await hanging.value.outcome == .failure(.connection))
            }
        }

        @Test("A hundred megabytes are sent no faster than they are read, and are never in memory all together")
        func backpressure() async throws {
            try await FaultServer.withServer { server in
                try await HTTPClient.withHTTPClient(configuration: AsyncHTTPClientHTTPTransport.configuration()) {
                    client in
                    let before = ProcessFigures.now
                    let request = HTTPClientRequest(url: server.url("/big/100").absoluteString)
                    let response = try await client.execute(request, timeout: .minutes(5))
                    var count = 0
                    var most = 0
                    for try await part in response.body {
                        count += part.readableBytes
                        if count % (1 << 22) < part.readableBytes {
                            most = max(most, ProcessFigures.now?.allocatedKilobytes ?? 0)
                        }
                    }
                    #expect(count == 100 << 20)
                    if let before { #expect(most < before.allocatedKilobytes + 50_000) }
                }
            }
        }

        @Test("A wait in a cancelled task ends")
        func cancelledWait() async throws {
            try await FaultServer.withServer { server in
                let waiting = Task { try await server.waitForRequests(of: "never") }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
        }

        @Test("A client that trusts the certificate receives answers over TLS, and a drop is a connection error")
        func trusted() async throws {
            try await FaultServer.withServer { server in
                var configuration = AsyncHTTPClientHTTPTransport.configuration()
                let certificate = try NIOSSLCertificate(bytes: Array(FaultServer.certificate.utf8), format: .pem)
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .certificates([certificate])
                configuration.tlsConfiguration = tls
                try await HTTPClient.withHTTPClient(configuration: configuration) { client in
                    let transport = AsyncHTTPClientHTTPTransport(client)
                    let paths = [
                        "/json": Outcome.success(200), "/drop/before": .failure(.connection),
                        "/drop/reset": .failure(.connection), "/drop/after-headers": .failure(.connection),
                        "/truncated": .failure(.connection), "/truncated/chunks": .failure(.connection),
                        "/garbage": .failure(.invalidResponse),
                    ]
                    for (path, expected) in paths {
                        let message = TransportRequest(
                            url: server.url(path, scheme: .https), headers: ["Connection": "close"])
                        let observed = await Observation(sending: message, by: transport)
                        #expect(observed.outcome == expected, "\(path): \(observed.causeText)")
                    }
                }
            }
        }

        @Test("The client's own error stays available as the cause")
        func causes() async throws {
            try await withLab(transport) { server, client in
                func cause(
                    _ path: String,
                    scheme: FaultServer.Scheme = .http,
                    timeout: Duration? = nil
                ) async -> any Error {
                    let message = TransportRequest(url: server.url(path, scheme: scheme), timeout: timeout)
                    return await Observation(sending: message, by: client).error ?? CancellationError()
                }
                let client = ErrorMatcher.anywhere(.type(HTTPClientError.self))
                #expect(client.match(await cause("/hang", timeout: .milliseconds(300))) == .deadlineExceeded)
                #expect(client.match(await cause("/drop/before")) == .remoteConnectionClosed)
                let tls = ErrorMatcher.anywhere(.type(NIOSSLError.self))
                #expect(tls.match(await cause("/json", scheme: .https)) != nil)
            }
        }
    }
}
