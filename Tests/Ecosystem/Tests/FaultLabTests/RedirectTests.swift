import ErrorRecovery
import ErrorRouting
import FaultServer
import Foundation
import HTTPErrors
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension FaultLab {
    /// Tests what the servers receive from a redirected client.
    @Suite(
        "A redirected request arrives complete and once, and no other server receives secrets", .tags(.http4, .http8))
    struct RedirectTests {
        /// An order that the server redirects to a target.
        private struct Order: APIRequest {
            typealias Response = JSONValue
            let method: HTTPMethod
            let path: String
            let query: [URLQueryItem]
            let headers: HTTPHeaders = [
                "Authorization": "Bearer t", "Cookie": "c=d", "X-Api-Key": "k", "X-Test-Id": "order",
            ]
            var body: (any Encodable & Sendable)? { method == .get ? nil : ["order": 7] }

            init(_ method: HTTPMethod, _ status: Int, to target: String) {
                self.method = method
                path = "redirect"
                query = [URLQueryItem(name: "status", value: "\(status)"), URLQueryItem(name: "to", value: target)]
            }
        }

        private func client(_ server: FaultServer, _ transport: any HTTPTransport) -> APIClient {
            var policy = RetryPolicy.default
            policy.backoff = .constant(.zero, jitter: .none)
            return APIClient(base: server.url("/"), transport: transport, retry: policy)
        }

        /// A member of the last request's echo.
        private func echo(_ response: JSONValue, _ key: String) -> JSONValue? {
            guard case .object(let members) = response else { return nil }
            return members[key]
        }

        @Test(
            "307 and 308 send the body again, to the same server or to another one",
            arguments: [307, 308], TransportUnderTest.all)
        func same(_ status: Int, on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, sender in
                try await FaultServer.withServer { other in
                    for method in [HTTPMethod.post, .put, .patch, .delete] {
                        let near = try await client(server, sender).send(Order(method, status, to: "/echo"))
                        let far = other.url("/echo").absoluteString
                        let there = try await client(server, sender).send(Order(method, status, to: far))
                        for response in [near, there] {
                            #expect(echo(response, "method") == .string(method.rawValue))
                            #expect(echo(response, "body") == .string(#"{"order":7}"#))
                        }
                        #expect(server.count(method: method.rawValue, path: "/echo") == 1)
                        #expect(other.count(method: method.rawValue, path: "/echo") == 1)
                    }
                }
            }
        }

        @Test("303 fetches the result with GET", arguments: TransportUnderTest.all)
        func result(on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, sender in
                let response = try await client(server, sender).send(Order(.post, 303, to: "/echo"))
                #expect(echo(response, "method") == .string("GET") && echo(response, "body") == .string(""))
                #expect(server.count(method: "POST") == 1 && server.count(method: "GET") == 1)
            }
        }

        @Test(
            "Another server doesn't receive secret headers that the caller set, and the same server receives all",
            arguments: [HTTPMethod.get, .post], TransportUnderTest.all)
        func secrets(_ method: HTTPMethod, on transport: TransportUnderTest) async throws {
            try await withLab(transport) { server, sender in
                try await FaultServer.withServer { other in
                    func headers(_ target: String) async throws -> [String: JSONValue] {
                        let response = try await client(server, sender).send(Order(method, 307, to: target))
                        guard case .object(let headers)? = echo(response, "headers") else { return [:] }
                        return headers
                    }
                    let secrets = ["authorization", "cookie", "x-api-key", "x-test-id"]
                    let near = try await headers("/echo")
                    #expect(secrets.allSatisfy { near[$0] != nil })
                    let far = try await headers(other.url("/echo").absoluteString)
                    #expect(secrets.allSatisfy { far[$0] == nil })
                    #expect(far["accept"] == .string("application/json"))
                }
            }
        }

        @Test("No server receives a header from the session's configuration that might be secret")
        func additionalHeaders() async throws {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-Api-Key": "k", "authorization": "t", "user-agent": "lab"]
            let sender = URLSessionHTTPTransport(configuration: configuration)
            try await FaultServer.withServer { server in
                try await FaultServer.withServer { other in
                    let target = other.url("/echo").absoluteString
                    let response = try await client(server, sender).send(Order(.get, 302, to: target))
                    guard case .object(let headers)? = echo(response, "headers") else { throw URLError(.unknown) }
                    #expect(headers["x-api-key"] == nil && headers["authorization"] == nil)
                    #expect(headers["user-agent"] == .string("lab"))
                }
            }
        }

        @Test("An order is counted once, wherever its redirect leads", arguments: TransportUnderTest.all)
        func once(on transport: TransportUnderTest) async throws {
            let ends = [
                "/drop/before", "/drop/after-headers", "/truncated", "/status/503", "/challenge?by=Basic%20realm=a",
            ]
            for status in [301, 302, 303, 307, 308] {
                for end in ends {
                    try await withLab(transport) { server, sender in
                        let order = Order(.post, status, to: end)
                        await #expect(throws: NetworkError.self) { try await client(server, sender).send(order) }
                        #expect(server.count(path: "/redirect") == 1, "\(status) to \(end)")
                        #expect(server.count(of: "order") == 2, "\(status) to \(end)")
                    }
                }
                // This also applies to a target port on which no server listens.
                try await withLab(transport) { server, sender in
                    let order = Order(.post, status, to: "http://127.0.0.1:9/")
                    await #expect(throws: NetworkError.self) { try await client(server, sender).send(order) }
                    #expect(server.count(of: "order") == 1, "\(status)")
                }
            }
        }

        @Test("Three redirects lead to the answer, and a redirect loop is an error", arguments: TransportUnderTest.all)
        func many(on transport: TransportUnderTest) async throws {
            struct Get: APIRequest {
                typealias Response = JSONValue
                let path: String
            }
            try await withLab(transport) { server, sender in
                let response = try await client(server, sender).send(Get(path: "redirect/3"))
                #expect(response == .object(["redirected": .string("yes")]))
                let error = await #expect(throws: NetworkError.self) {
                    try await client(server, sender).send(Get(path: "redirect-loop"))
                }
                #expect(error?.kind == .invalidResponse && server.count(path: "/redirect-loop") == 21)
            }
        }

        @Test("A 401 with a Bearer and a Basic challenge refreshes the token once", arguments: TransportUnderTest.all)
        func challenge(on transport: TransportUnderTest) async throws {
            struct Get: APIRequest {
                typealias Response = JSONValue
                let path = "challenge"
                let query = [URLQueryItem(name: "by", value: #"Bearer, bAsIc realm="a""#)]
            }
            try await withLab(transport) { server, sender in
                let refreshed = Watched(0)
                let token = BearerToken("old") {
                    refreshed.update { $0 += 1 }
                    return "new"
                }
                let client = APIClient(base: server.url("/"), transport: sender, retry: .default, token: token)
                let error = await #expect(throws: NetworkError.self) { try await client.send(Get()) }
                #expect(error?.kind == .unauthorized && refreshed.value == 1)
                #expect(server.count(path: "/challenge") == 2)
            }
        }
    }
}
