import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H12: a report shows the request of a client's error", .tags(.http12, .http8), .hangLimit)
struct RequestMetadataTests {}

extension RequestMetadataTests {
    private static let secret = "s3cr3t"
    private static let keys = ["http.request.method", "server.address", "url.path", "http.response.status_code"]

    private static func client(
        _ base: String = "https://user:s3cr3t@Pay.example:8443/bot-s3cr3t/v1?key=s3cr3t",
        retry: RetryPolicy? = nil, _ respond: @escaping @Sendable () throws -> TransportResponse
    ) throws -> APIClient {
        APIClient(base: try #require(URL(string: base)), transport: Script { _, _ in try respond() }, retry: retry)
    }

    private static func call(_ path: String, method: HTTPMethod = .get) -> Call<User> {
        var call = Call(User.self, method: method, headers: ["X-Key": secret])
        (call.path, call.query) = (path, [URLQueryItem(name: "token", value: secret)])
        return call
    }

    /// Returns the four values in the metadata of an error that is posted.
    private func shown(_ client: APIClient, _ call: Call<User>) async throws -> [String?] {
        let error = try #require(await #expect(throws: NetworkError.self) { _ = try await client.send(call) })
        let report = ErrorReport(error: error, source: .init())
        #expect(!"\(report)\(report.metadata)".contains(Self.secret))
        #expect(Set(report.metadata.keys).isSubset(of: Self.keys))
        return Self.keys.map { report.metadata[$0] }
    }

    @Test("method, host, path below the base, and status are in the report, whatever code posts the error")
    func parts() async throws {
        let answered = try Self.client { TransportResponse(status: 503) }
        expect(
            try await shown(answered, Self.call("charges/17", method: .post)),
            equals: [
                "POST", "pay.example", "/charges/17", "503",
            ])
        let refused = try Self.client { throw URLError(.cannotConnectToHost) }
        expect(try await shown(refused, Self.call("/a b")), equals: ["GET", "pay.example", "/a%20b", nil])
        let undecodable = try Self.client { .json("[]") }
        expect(try await shown(undecodable, Self.call("")), equals: ["GET", "pay.example", "/", nil])
        // No request was sent.
        for path in ["../x", "a\nb?token=\(Self.secret)", "//h#\(Self.secret)"] {
            let shown = try await shown(answered, Self.call(path))
            expect([shown[0], shown[1], shown[3]], equals: ["GET", "pay.example", nil])
            #expect(shown[2]?.hasPrefix("/") == true && shown[2]?.contains("\n") == false)
        }
        let wrong = try Self.client("ftp:/v1") { TransportResponse(status: 200) }
        expect(try await shown(wrong, Self.call("a")), equals: ["GET", nil, "/a", nil])
        let method = HTTPMethod(rawValue: "no token")
        expect(try await shown(answered, Self.call("a", method: method)).first, equals: "_OTHER")
    }

    @Test("a path is truncated at 256 bytes, and at a query that was put into it by mistake")
    func bounds() async throws {
        let client = try Self.client { TransportResponse(status: 500) }
        let long = try #require(try await shown(client, Self.call(String(repeating: "é", count: 500)))[2])
        #expect(long.utf8.count <= 256 && long.hasPrefix("/%C3%A9%C3%A9") && long.hasSuffix("…"))
        expect(try await shown(client, Self.call("a?token=\(Self.secret)"))[2], equals: "/a")
        expect(try await shown(client, Self.call("a?\u{301}token=\(Self.secret)"))[2], equals: "/a")
    }

    @Test("attempts, the thrown error, and a cancelled call have these values; within a request they have a prefix")
    func posters() async throws {
        let client = try Self.client(retry: RetryPolicy(maxAttempts: 2, backoff: .constant(.zero))) {
            TransportResponse(status: 503)
        }
        let request = ["http.request.method": "POST", "url.path": "/orders", "http.route": "/orders"]
        let recorded = await withRecordedErrors { bus in
            let call = Call(User.self, method: .put)
            await bus.catching { _ = try await client.send(call) }
            await bus.scope("POST /orders", metadata: request).catching { _ = try await client.send(call) }
        }
        expect(recorded.reports.map(\.role), equals: [.attempt, .failure, .attempt, .failure])
        let values = ["PUT", "pay.example", "/users/17", "503"]
        for report in recorded.reports.prefix(2) {
            expect(Self.keys.map { report.metadata[$0] }, equals: values)
        }
        // The attempt isn't posted in the scope, although the call's error is.
        expect(Self.keys.map { recorded.reports[2].metadata[$0] }, equals: values)
        let failed = recorded.reports[3].metadata
        expect(Self.keys.map { failed["upstream.\($0)"] }, equals: values)
        expect(Self.keys.map { failed[$0] }, equals: ["POST", nil, "/orders", nil])
        let cancelled = Task {
            await eventually("the call's task is cancelled") { Task.isCancelled }
            return try await client.send(Call(User.self))
        }
        cancelled.cancel()
        let error = try #require(await #expect(throws: NetworkError.self) { try await cancelled.value })
        expect(ErrorReport(error: error, source: .init()).metadata["server.address"], equals: "pay.example")
    }

    @Test("a refresh's error shows the request that needs the token; the refresh's own failed call has a prefix")
    func refresh() async throws {
        let tokens = try Self.client("https://tokens.example") { TransportResponse(status: 502) }
        let client = try APIClient(
            Script { _, _ in TransportResponse(status: 401) },
            token: BearerToken("a") {
                _ = try await tokens.send(Call(User.self, method: .post))
                return "b"
            })
        let recorded = await withRecordedErrors { _ in _ = try? await client.send(Call(User.self)) }
        let metadata = try #require(recorded.reports.first).metadata
        expect(Self.keys.map { metadata[$0] }, equals: ["GET", "example.org", "/users/17", nil])
        let failed = Self.keys.map { metadata["upstream.\($0)"] }
        expect(failed, equals: ["POST", "tokens.example", "/users/17", "502"])
    }

    @Test(
        "an interceptor's own failed call is still the one shown, and an error without a client shows its status")
    func otherClients() async throws {
        let inner = try Self.client("https://tokens.example") { TransportResponse(status: 502) }
        struct Signing: HTTPInterceptor {
            let client: APIClient
            func prepare(_ request: inout TransportRequest) async throws { _ = try await client.send(Call(User.self)) }
        }
        let outer = try APIClient(Script { _, _ in .json("{}") }, interceptors: [Signing(client: inner)])
        let shown = try await shown(outer, Self.call("orders"))
        expect(shown, equals: ["GET", "tokens.example", "/users/17", "502"])
        let alone = ErrorReport(error: NetworkError(HTTPFailure(status: 503)), source: .init())
        expect(alone.metadata, equals: ["http.response.status_code": "503"])
        expect(ErrorReport(error: NetworkError(.timeout), source: .init()).metadata, equals: [:])
    }
}
