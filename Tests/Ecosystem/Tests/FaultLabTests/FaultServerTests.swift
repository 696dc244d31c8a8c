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
    @Suite("The fault server misbehaves as it is told, and counts what has come")
    struct FaultServerTests {
        private let transport = TransportUnderTest.asyncHTTPClient

        @Test("Requests are counted by their id, by method and by path")
        func counting() async throws {
            try await withLab(transport) { server, client in
                for number in 0..<6 {
                    let id = number % 2 == 0 ? "even" : "odd"
                    let message = TransportRequest(
                        method: number < 4 ? "GET" : "POST", url: server.url("/json?n=\(number)"),
                        headers: ["X-Test-Id": id])
                    _ = try await client.send(message)
                }
                #expect(server.count(of: "even") == 3 && server.count(of: "odd") == 3 && server.count(of: "none") == 0)
                #expect(server.count(method: "POST") == 2 && server.count(path: "/json") == 6)
                #expect(server.count(method: "GET", path: "/other") == 0)
            }
        }

        @Test("A request is counted on a kept connection only if one came before it there")
        func keptConnections() async throws {
            try await withLab(transport) { server, client in
                for id in ["first", "second"] {
                    _ = try await client.send(TransportRequest(url: server.url("/json"), headers: ["X-Test-Id": id]))
                }
                #expect(server.countOnKeptConnections(of: "first") == 0)
                // The pool may not have had the connection back in time, and opened another.
                #expect(server.countOnKeptConnections(of: "second") <= 1)
                #expect(server.count(of: "second") == 1)
            }
        }

        @Test("Connections are counted while they are open, and are gone when the client is")
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

        @Test("What a server opened is closed when it has ended")
        func descriptors() async throws {
            try await FaultServer.withServer { _ in }
            let before = ProcessFigures.now?.descriptors
            for _ in 0..<20 {
                try await FaultServer.withServer { server in #expect(server.plainPort != server.securePort) }
            }
            #expect(ProcessFigures.now?.descriptors == before)
        }

        @Test("A request that is left unread is whole once the server reads on")
        func unread() async throws {
            try await withLab(transport) { server, client in
                let message = TransportRequest(
                    method: "PUT", url: server.url("/unread"), headers: ["X-Test-Id": "upload"],
                    body: Data(count: 64 << 20))
                async let observation = Observation(sending: message, by: client)
                try await server.waitForUnread()
                #expect(server.count(of: "upload") == 0)
                server.readOn()
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

        @Test("A hundred megabytes go through no faster than they are read, and are never held")
        func backpressure() async throws {
            try await FaultServer.withServer { server in
                try await HTTPClient.withHTTPClient(configuration: AsyncHTTPClientTransport.configuration()) { client in
                    let before = ProcessFigures.now
                    let request = HTTPClientRequest(url: server.url("/big/100").absoluteString)
                    let response = try await client.execute(request, timeout: .minutes(5))
                    var count = 0
                    var most = 0
                    for try await part in response.body {
                        count += part.readableBytes
                        if count % (1 << 22) < part.readableBytes {
                            most = max(most, ProcessFigures.now?.residentKilobytes ?? 0)
                        }
                    }
                    #expect(count == 100 << 20)
                    if let before { #expect(most < before.residentKilobytes + 50_000) }
                }
            }
        }

        @Test("A wait of a cancelled task ends")
        func cancelledWait() async throws {
            try await FaultServer.withServer { server in
                let waiting = Task { try await server.waitForRequests(of: "never") }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
        }

        @Test("Who trusts its certificate has an answer over TLS, and sees a drop there as one")
        func trusted() async throws {
            try await FaultServer.withServer { server in
                var configuration = AsyncHTTPClientTransport.configuration()
                let certificate = try NIOSSLCertificate(bytes: Array(FaultServer.certificate.utf8), format: .pem)
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .certificates([certificate])
                configuration.tlsConfiguration = tls
                try await HTTPClient.withHTTPClient(configuration: configuration) { client in
                    let transport = AsyncHTTPClientTransport(client)
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

        @Test("The cause stays under the error, for who knows the client")
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
