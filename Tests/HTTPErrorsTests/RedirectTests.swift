import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("A redirect is followed with the same request, or as GET, and gives no secret away", .tags(.http4, .http8))
struct RedirectTests {
    private let order = TransportRequest(
        method: "POST", url: URL(string: "https://api.example.com/v1/orders?a=b")!,
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
    @Test("307 and 308 repeat method and body", arguments: [307, 308], ["POST", "PATCH", "GET", "DELETE"])
    func same(status: Int, method: String) throws {
        var request = order
        request.method = method
        let next = try #require(try follow(request, status, "/v2/orders"))
        #expect(next.request.method == method && next.request.body == order.body)
        expect(next.request.headers, equals: order.headers)
        #expect(!next.isProcessed)
    }

    @Test("303 makes everything a GET, 301 and 302 a POST, and then the request has had its effect")
    func get() throws {
        for (status, method) in [(301, "POST"), (302, "POST"), (303, "POST"), (303, "PUT"), (303, "DELETE")] {
            var request = order
            request.method = method
            let next = try #require(try follow(request, status, "/v2/orders"))
            #expect(next.request.method == "GET" && next.request.body == nil && next.isProcessed)
            #expect(next.request.headers["Content-Type"] == nil && next.request.headers["X-Api-Key"] == "k")
        }
    }

    @Test("301 and 302 repeat any other method, and HEAD stays HEAD")
    func kept() throws {
        for (status, method) in [(301, "PUT"), (302, "PATCH"), (302, "GET"), (303, "HEAD"), (303, "GET")] {
            var request = order
            request.method = method
            let next = try #require(try follow(request, status, "/v2/orders"))
            #expect(next.request.method == method && next.request.body == order.body && !next.isProcessed)
        }
    }

    @Test(
        "Another origin gets no field that may be secret",
        arguments: [
            "https://example.com/", "https://api.example.com:444/", "//evil.example/", "https://api.example.com.evil/",
            "https://api.example.com@evil.example/", "https://api.example.com./",
        ])
    func foreign(location: String) throws {
        let next = try #require(try follow(order, 307, location))
        expect(
            next.request.headers,
            equals: [
                "Content-Type": "application/json", "Accept": "application/json", "Idempotency-Key": "i",
            ])
        expect(next.request.body, equals: order.body)
    }

    @Test("What was dropped for another origin does not come back on the way home")
    func home() throws {
        var chain = try #require(try follow(order, 307, "https://evil.example/"))
        let back = TransportResponse(status: 307, headers: ["Location": "https://api.example.com/v1/orders"])
        #expect(try chain.follows(back))
        #expect(chain.request.headers["Authorization"] == nil && chain.request.headers["X-Api-Key"] == nil)
    }

    @Test(
        "The same origin gets every field, however it is written",
        arguments: [
            "/v2", "v2", "?c=d", "https://api.example.com/v2", "HTTPS://API.example.com:443/v2", "//api.example.com/v2",
            "https://user:password@api.example.com/",
        ])
    func native(location: String) throws {
        let next = try #require(try follow(order, 307, location))
        expect(next.request.headers, equals: order.headers)
        #expect(next.request.url.user() == nil && next.request.url.password() == nil)
    }

    @Test("A path is resolved against the request's")
    func relative() throws {
        let targets = ["../x?y=z": "https://api.example.com/x?y=z", "x": "https://api.example.com/v1/x"]
        for (location, target) in targets {
            expect(try follow(order, 307, location)?.request.url.absoluteString, equals: target)
        }
    }

    @Test(
        "A target that is none is not followed",
        arguments: [
            "", "http://api.example.com/", "mailto:a@example.com", "file:///etc/passwd", "https://", "http://[::1",
            "gopher://api.example.com/", "https://api.example.com:65536/", "https://api.example.com:0/",
        ])
    func useless(location: String) throws {
        expectNil(try follow(order, 307, location))
    }

    @Test("Nothing else is a redirect", arguments: [200, 201, 300, 304, 305, 306, 400])
    func others(status: Int) throws {
        expectNil(try follow(order, status, "/v2"))
        expectNil(try follow(order, 307, nil))
    }

    @Test("The twenty-first redirect is an error")
    func limit() throws {
        var chain = RedirectChain(order)
        let response = TransportResponse(status: 307, headers: ["Location": "/again"])
        for _ in 0..<20 { #expect(try chain.follows(response)) }
        let error = #expect(throws: NetworkError.self) { try chain.follows(response) }
        #expect(error?.kind == .invalidResponse && (error?.cause as? URLError)?.code == .httpTooManyRedirects)
    }
}

@Suite("H4: an order is never sent twice, through redirects either", .tags(.http4), .hangLimit)
struct ClientRedirectTests {}

extension ClientRedirectTests {
    private static let policy = RetryPolicy(maxAttempts: 3, backoff: .constant(.zero)).retrying(matching: .transient)

    /// The requests of an order whose first response is a redirect, and whose others all end in the same way.
    private func requests(
        _ status: Int,
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
        let call = Call(NoContent.self, method: "POST", headers: headers, body: User(name: "a"))
        await withRecordedErrors { _ in _ = try? await client.send(call) }
        return script.requests
    }

    @Test("What has had its effect is not sent again, whatever its redirect ends in", arguments: [301, 302, 303])
    func processed(status: Int) async throws {
        let ends: [@Sendable () throws -> TransportResponse] = [
            { throw URLError(.cannotConnectToHost) }, { throw URLError(.timedOut) },
            { TransportResponse(status: 429) }, { TransportResponse(status: 503) }, { TransportResponse(status: 401) },
        ]
        for end in ends {
            let token = BearerToken("t") { "u" }
            let methods = try await requests(status, token: token, then: end).map(\.method)
            expect(methods, equals: ["POST", "GET"])
        }
    }

    @Test("What was only sent elsewhere is sent again if it never arrived there", arguments: [307, 308])
    func elsewhere(status: Int) async throws {
        let unreached = try await requests(status) { throw URLError(.cannotConnectToHost) }
        expect(unreached.map(\.method), equals: Array(repeating: "POST", count: 6))
        #expect(unreached.allSatisfy { $0.body != nil })
        let lost = try await requests(status) { throw URLError(.networkConnectionLost) }
        expect(lost.map(\.method), equals: ["POST", "POST"])
    }

    @Test("With a key it is sent again, and the key goes along")
    func keyed() async throws {
        let headers: HTTPHeaders = ["Idempotency-Key": "17", "X-Api-Key": "k"]
        let sent = try await requests(307, headers: headers, to: "https://other.example/x") {
            throw URLError(.timedOut)
        }
        #expect(sent.count == 6 && sent.allSatisfy { $0.headers["Idempotency-Key"] == "17" })
        expect(sent.map { $0.headers["X-Api-Key"] != nil }, equals: [true, false, true, false, true, false])
    }

    @Test("Another server's 401 refreshes no token, since it has seen none")
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

    @Test("All redirects share the request's time limit")
    func timeLimit() async throws {
        let script = Script { request, number in
            TransportResponse(status: number < 3 ? 307 : 204, headers: ["Location": "/again"])
        }
        var call = Call(NoContent.self)
        call.timeout = .seconds(60)
        _ = try await APIClient(script).send(call)
        let limits = script.requests.map { $0.timeout ?? .zero }
        #expect(limits.count == 4 && limits.first == .seconds(60) && limits == limits.sorted(by: >))
        expect(Set(limits).count, equals: 4)
    }

    @Test("An interceptor prepares the first request, and inspects the last response")
    func interceptors() async throws {
        struct Watching: HTTPInterceptor {
            func prepare(_ request: inout TransportRequest) {
                request.headers["X-Count"] = (request.headers["X-Count"] ?? "") + "i"
            }
            func inspect(_ response: inout TransportResponse, to request: TransportRequest) {
                #expect(response.status == 204 && request.url.path() == "/again")
            }
        }
        let script = Script { _, number in
            TransportResponse(status: number < 1 ? 307 : 204, headers: ["Location": "/again"])
        }
        _ = try await APIClient(script, interceptors: [Watching()]).send(Call(NoContent.self))
        expect(script.requests.map { $0.headers["X-Count"] }, equals: ["i", "i"])
    }
}
