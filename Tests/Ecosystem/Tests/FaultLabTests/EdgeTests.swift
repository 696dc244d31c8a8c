import AsyncHTTPClient
import ErrorRecovery
import ErrorRouting
import ErrorRoutingAsyncHTTPClient
import FaultServer
import Foundation
import HTTPErrors
import NIOSSL
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension FaultLab {
    /// The promises for each transport in unusual cases of HTTP.
    @Suite("No body hides the status, and a repeated field loses no value")
    struct EdgeTests {
        private struct Get<Response: Decodable & Sendable>: APIRequest {
            let path: String
            var query: [URLQueryItem] = []
            var timeout: Duration?
        }

        private func error<Response: Decodable & Sendable>(
            of request: Get<Response>, _ server: FaultServer, _ transport: any HTTPTransport
        ) async -> NetworkError? {
            let client = APIClient(base: server.url("/"), transport: transport)
            return await #expect(throws: NetworkError.self) { try await client.send(request) }
        }

        @Test(
            "H5: a body over the limit keeps its status and beginning, and causes an error only if it must be decoded",
            .tags(.http5), arguments: TransportUnderTest.all)
        func bodyLimit(on transport: TransportUnderTest) async throws {
            try await withLab(transport, options: .init(bodyLimit: 4)) { server, sender in
                let response = try await sender.send(TransportRequest(url: server.url("/json?a=1")))
                #expect(response.status == 200 && response.isTruncated)
                #expect(String(decoding: response.body, as: UTF8.self) == #"{"a""#)
                let busy = await error(of: Get<JSONValue>(path: "retry-after/seconds"), server, sender)
                #expect(busy?.failure?.status == 503 && busy?.retryAfter == .seconds(120))
                #expect(busy?.failure?.body.count == 4)
                let large = await error(
                    of: Get<JSONValue>(path: "json", query: [.init(name: "a", value: "1")]), server, sender)
                #expect(large?.kind == .bodyTooLarge)
                let client = APIClient(base: server.url("/"), transport: sender)
                _ = try await client.send(Get<NoContent>(path: "json", query: [.init(name: "a", value: "1")]))
                let whole = try await sender.send(TransportRequest(url: server.url("/raw/length/none")))
                #expect(!whole.isTruncated && whole.body.count == 2)
            }
        }

        @Test(
            "H5: if a connection breaks in a body over the limit, the status is kept; within it, the break is an error",
            .tags(.http5), arguments: TransportUnderTest.all)
        func brokenOff(on transport: TransportUnderTest) async throws {
            for status in [200, 302, 401, 429, 503] {
                for (limit, isTooLong) in [(50, true), (100, false)] {
                    try await withLab(transport, options: .init(bodyLimit: limit)) { server, sender in
                        let message = TransportRequest(url: server.url("/truncated?status=\(status)"))
                        let observed = await Observation(sending: message, by: sender)
                        guard isTooLong, !(status == 302 && transport.losesRedirects) else {
                            #expect(observed.outcome == .failure(.connection), "\(status), \(limit)")
                            return
                        }
                        let response = try #require(observed.response)
                        #expect(response.status == status && response.isTruncated, "\(status), \(limit)")
                        #expect(String(decoding: response.body, as: UTF8.self) == #"{"answer":"#)
                    }
                }
            }
        }

        @Test(
            "H3: the first value of a repeated field counts", .tags(.http3), arguments: TransportUnderTest.all)
        func twice(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, sender in
                let client = APIClient(base: server.url("/"), transport: sender)
                #expect(try await client.send(Get<JSONValue>(path: "raw/twice/content-type")) == .object([:]))
                let moved = try await client.send(Get<JSONValue>(path: "raw/twice/location"))
                #expect(moved == .object(["a": .string("1")]))
                let sold = await error(of: Get<JSONValue>(path: "raw/twice/problem"), server, sender)
                #expect(sold?.failure?.problem?.title == "sold")
                let busy = await error(of: Get<JSONValue>(path: "raw/twice/retry-after"), server, sender)
                #expect(busy?.retryAfter == .seconds(3))
                let (_, _, headers) = try await client.response(for: Get<NoContent>(path: "raw/twice/cookies"))
                let cookies = headers.filter { $0.name.lowercased() == "set-cookie" }.map(\.value)
                #expect(cookies == ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2; Path=/"])
            }
        }

        @Test(
            "H1: a refused certificate isn't a temporary error", .tags(.http1), arguments: TransportUnderTest.all)
        func certificate(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, sender in
                let client = APIClient(base: server.url("/", scheme: .https), transport: sender)
                let error = await #expect(throws: NetworkError.self) {
                    try await client.send(Get<NoContent>(path: "json"))
                }
                #expect(error?.kind == .connection && error?.neverReachedServer == true)
                #expect(error.flatMap { ErrorMatcher.transient.match($0) } == nil)
            }
        }

        @Test("A client with its own TLS configuration reaches a server whose certificate only it trusts")
        func ownCertificate() async throws {
            var configuration = AsyncHTTPClientHTTPTransport.configuration()
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(FaultServer.certificate.utf8)))
            configuration.tlsConfiguration = tls
            try await FaultServer.withServer { server in
                try await HTTPClient.withHTTPClient(configuration: configuration) { http in
                    let client = APIClient(
                        base: server.url("/", scheme: .https), transport: .asyncHTTPClient(http))
                    _ = try await client.send(Get<NoContent>(path: "json"))
                }
            }
        }

        @Test("URLSession's challenge handler can sign in, and only then is its request sent again")
        func challengeHandler() async throws {
            let credential = URLCredential(user: "user", password: "password", persistence: .none)
            let answers: [(URLSession.AuthChallengeDisposition, URLCredential?, Outcome, requests: Int)] = [
                (.useCredential, credential, .success(200), 2),
                (.performDefaultHandling, nil, .failure(.unauthorized), 1),
                (.cancelAuthenticationChallenge, nil, .failure(.connection), 1),
            ]
            let path = "/challenge?by=Basic%20realm=%22a%22&accepts=Basic%20dXNlcjpwYXNzd29yZA=="
            for (disposition, credential, outcome, requests) in answers {
                try await FaultServer.withServer { server in
                    let sender = URLSessionHTTPTransport(onChallenge: { _ in (disposition, credential) })
                    for method in [HTTPMethod.get, .post] {
                        let message = TransportRequest(
                            method: method, url: server.url(path), headers: ["X-Test-Id": method.rawValue],
                            body: method == .post ? Data("{}".utf8) : nil)
                        let observed = await Observation(sending: message, by: sender)
                        #expect(observed.outcome == outcome, "\(method) \(disposition)")
                        #expect(server.count(of: method.rawValue) == requests, "\(method) \(disposition)")
                    }
                }
            }
        }

        @Test("H1: a client that was shut down causes a connection error that isn't temporary", .tags(.http1))
        func shutDown() async throws {
            try await FaultServer.withServer { server in
                let http = HTTPClient(configuration: AsyncHTTPClientHTTPTransport.configuration())
                let client = APIClient(base: server.url("/"), transport: .asyncHTTPClient(http))
                let request = TransportRequest(url: server.url("/hang"), headers: ["X-Test-Id": "hanging"])
                let hanging = Task { await Observation(sending: request, by: AsyncHTTPClientHTTPTransport(http)) }
                try await server.waitForRequests(of: "hanging")
                try await http.shutdown()
                let under = try #require(await hanging.value.error)
                let after = await #expect(throws: NetworkError.self) {
                    try await client.send(Get<NoContent>(path: "json"))
                }
                for error in [under, try #require(after)] {
                    #expect(error.kind == .connection && !error.isCancellation, "\(error)")
                    #expect(ErrorMatcher.transient.match(error) == nil)
                }
                #expect(!under.neverReachedServer && after?.neverReachedServer == true)
            }
        }
    }
}
