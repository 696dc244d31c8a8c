import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite(
    "A redirect is followed with the same request or as a GET, without revealing secrets", .tags(.http4, .http8),
    .hangLimit)
struct RedirectTests {
    private let order = TransportRequest(
        method: .post, url: URL(string: "https://api.example.com/v1/orders?a=b")!,
        headers: [
            "Authorization": "Bearer t", "X-Api-Key": "k", "Cookie": "c", "Content-Type": "application/json",
            "Accept": "application/json", "Idempotency-Key": "i",
        ], body: Data("order".utf8))

    private func follow(
        _ request: TransportRequest,
        _ status: Int,
        _ location: String?
    ) throws -> RedirectChain? {
        var chain = RedirectChain(request)
        let headers = HTTPHeaders(location.map { [("Location", $0)] } ?? [])
        return try chain.follows(TransportResponse(status: status, headers: headers)) ? chain : nil
    }
}

extension RedirectTests {
    @Test("303 turns every request into a GET; 301 and 302 turn a POST into one; other requests are repeated")
    func get() throws {
        for method in [HTTPMethod.post, .put, .delete, .patch, .get, .head] {
            for status in [301, 302, 303, 307, 308] {
                var request = order
                request.method = method
                let next = try #require(try follow(request, status, "/v2/orders"))
                let isChanged = status == 303 ? ![.get, .head].contains(method) : status < 303 && method == .post
                expect(next.request.method, equals: isChanged ? .get : method, "\(status), \(method)")
                expect(next.request.body, equals: isChanged ? nil : order.body, "\(status), \(method)")
                expect(next.isProcessed, equals: ![.get, .head].contains(method), "\(status), \(method)")
                var headers = order.headers
                if isChanged { headers["Content-Type"] = nil }
                expect(next.request.headers, equals: headers, "\(status), \(method)")
            }
        }
    }

    @Test("another origin receives no field that might be secret, and a redirect back doesn't restore these fields")
    func foreign() throws {
        for location in [
            "https://example.com/", "https://api.example.com:444/", "//evil.example/", "https://api.example.com.evil/",
            "https://api.example.com@evil.example/", "https://api.example.com./",
        ] {
            var chain = try #require(try follow(order, 307, location))
            let headers: HTTPHeaders = [
                "Content-Type": "application/json", "Accept": "application/json", "Idempotency-Key": "i",
            ]
            expect(chain.request.headers, equals: headers, "\(location)")
            expect(chain.request.body, equals: order.body)
            let back = TransportResponse(status: 307, headers: ["Location": "https://api.example.com/v1/orders"])
            expect(try chain.follows(back), equals: true)
            expect(chain.request.headers, equals: headers, "\(location)")
        }
    }

    @Test("the same origin in another spelling receives every field; a path is resolved against the request's path")
    func native() throws {
        let targets = [
            "/v2": "/v2", "v2": "/v1/v2", "?c=d": "/v1/orders?c=d", "../x?y=z": "/x?y=z", "x": "/v1/x",
            "https://api.example.com/v2": "/v2", "HTTPS://API.example.com:443/v2": nil,
            "//api.example.com/v2": "/v2", "https://user:password@api.example.com/": nil,
        ]
        for (location, target) in targets {
            let request = try #require(try follow(order, 307, location)).request
            expect(request.headers, equals: order.headers, "\(location)")
            expect([request.url.user(), request.url.password()], equals: [nil, nil], "\(location)")
            if let target { expect(request.url.absoluteString, equals: "https://api.example.com" + target) }
        }
    }

    @Test("an invalid target isn't followed, and responses with other statuses aren't redirects")
    func useless() throws {
        for location in [
            "", "http://api.example.com/", "mailto:a@example.com", "file:///etc/passwd", "https://", "http://[::1",
            "gopher://api.example.com/", "https://api.example.com:65536/", "https://api.example.com:0/", nil,
        ] {
            expectNil(try follow(order, 307, location), "\(location ?? "nil")")
        }
        for status in [200, 201, 300, 304, 305, 306, 400] { expectNil(try follow(order, status, "/v2"), "\(status)") }
    }

    @Test("the twenty-first redirect is an error")
    func limit() throws {
        var chain = RedirectChain(order)
        let response = TransportResponse(status: 307, headers: ["Location": "/again"])
        for _ in 0..<20 { expect(try chain.follows(response), equals: true) }
        let error = #expect(throws: NetworkError.self) { try chain.follows(response) }
        expect(error?.kind, equals: .invalidResponse)
        expect((error?.cause as? URLError)?.code, equals: .httpTooManyRedirects)
    }
}

@Suite("H4: a non-idempotent request is never sent twice, even through redirects", .tags(.http4), .hangLimit)
struct ClientRedirectTests {}

extension ClientRedirectTests {
    private static let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero)).retrying(matching: .transient)

    /// Returns the requests for one order if the first response is a redirect and all others end in the same way.
    private func requests(
        _ status: Int,
        method: HTTPMethod = .post,
        headers: HTTPHeaders = [:],
        to location: String = "/elsewhere",
        token: BearerToken? = nil,
        then end: @escaping @Sendable () throws -> TransportResponse
    ) async throws -> [TransportRequest] {
        let script = Script { request, _ in
            request.url.path() == "/v1/users/17"
                ? TransportResponse(status: status, headers: ["Location": location]) : try end()
        }
        let client = try APIClient(script, retry: Self.policy, token: token)
        let call = Call(NoContent.self, method: method, headers: headers, body: User(name: "a"))
        await withRecordedErrors { _ in _ = try? await client.send(call) }
        return script.requests
    }

    @Test("a request on which a server might have acted isn't sent again, however its redirect ends")
    func processed() async throws {
        let ends: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.cannotConnectToHost) }, { throw URLError(.timedOut) },
            { TransportResponse(status: 429) }, { TransportResponse(status: 503) }, { TransportResponse(status: 401) },
        ]
        for status in [301, 302, 303] {
            for end in ends {
                let token = BearerToken("t") { "u" }
                let methods = try await requests(status, token: token, then: end).map(\.method)
                expect(methods, equals: [.post, .get], "\(status)")
            }
        }
    }

    @Test("a redirected request is sent again only if it has a key, which is sent too")
    func elsewhere() async throws {
        for (method, status) in [(HTTPMethod.post, 307), (.post, 308), (.patch, 301), (.patch, 302), (.patch, 307)] {
            for code in [URLError.Code.cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet] {
                let sent = try await requests(status, method: method) { throw URLError(code) }
                expect(sent.map(\.method), equals: [method, method], "\(status), \(code)")
                expect(sent.count { $0.body != nil }, equals: 2)
            }
            let refused = try await requests(status, method: method, token: BearerToken("t") { "u" }) {
                TransportResponse(status: 401)
            }
            expect(refused.count, equals: 2)
        }
        // An idempotent request may be sent again.
        let put = try await requests(302, method: .put) { throw URLError(.cannotConnectToHost) }
        expect(put.map(\.method), equals: Array(repeating: HTTPMethod.put, count: 6))
        let headers: HTTPHeaders = ["Idempotency-Key": "17", "X-Api-Key": "k"]
        let sent = try await requests(307, headers: headers, to: "https://other.example/x") {
            throw URLError(.timedOut)
        }
        expect(sent.map { $0.headers["Idempotency-Key"] }, equals: Array(repeating: "17", count: 6))
        expect(sent.map { $0.headers["X-Api-Key"] != nil }, equals: [true, false, true, false, true, false])
    }

    @Test("the first valid value of a repeated Location is used, even if the layer below has joined the values")
    func twice() async throws {
        let home = "https://example.org/a"
        let cases: [([String], String?)] = [
            ([home, home], home), (["\(home), \(home)"], home), (["/a", "/b"], home), (["/a, /b"], home),
            (["", "/a"], home), (["mailto:a@b", "\(home), /b"], home), (["/a,b"], "\(home),b"),
            (["/a, b"], "\(home),%20b"), (["", "mailto:a@b"], nil),
        ]
        for (locations, target) in cases {
            let script = Script { _, number in
                let headers = HTTPHeaders(locations.map { ("Location", $0) })
                return TransportResponse(status: number == 0 ? 302 : 204, headers: number == 0 ? headers : [:])
            }
            _ = try? await APIClient(script).send(Call(NoContent.self))
            expect(script.requests.dropFirst().first?.url.absoluteString, equals: target, "\(locations)")
        }
    }

    @Test("another server's 401 doesn't refresh the token, because that server didn't receive it")
    func foreignChallenge() async throws {
        let token = BearerToken("t") {
            Issue.record("refreshed")
            return "u"
        }
        let sent = try await requests(307, to: "https://other.example/x", token: token) {
            TransportResponse(status: 401)
        }
        expect(sent.map { $0.headers["Authorization"] }, equals: ["Bearer t", nil])
    }

    @Test("all redirects share the request's time limit")
    func timeLimit() async throws {
        let script = Script { request, number in
            TransportResponse(status: number < 3 ? 307 : 204, headers: ["Location": "/again"])
        }
        var call = Call(NoContent.self)
        call.timeout = .seconds(60)
        _ = try await APIClient(script).send(call)
        let limits = script.requests.map { $0.timeout ?? .zero }
        expect(limits.first, equals: .seconds(60))
        expect(limits, equals: limits.sorted(by: >))
        expect(Set(limits).count, equals: 4)
        expect(limits.count, equals: 4)
    }

    @Test("an interceptor prepares the first request and inspects the last response")
    func interceptors() async throws {
        struct Watching: HTTPInterceptor {
            func prepare(_ request: inout TransportRequest) {
                request.headers["X-Count"] = (request.headers["X-Count"] ?? "") + "i"
            }
            func inspect(_ response: inout TransportResponse, to request: TransportRequest) {
                expect(response.status, equals: 204)
                expect(request.url.path(), equals: "/again")
            }
        }
        let script = Script { _, number in
            TransportResponse(status: number < 1 ? 307 : 204, headers: ["Location": "/again"])
        }
        _ = try await APIClient(script, interceptors: [Watching()]).send(Call(NoContent.self))
        expect(script.requests.map { $0.headers["X-Count"] }, equals: ["i", "i"])
    }
}
