import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H9: a request that is not what its author meant is not sent", .tags(.http9), .hangLimit)
struct ClientInputTests {}

extension ClientInputTests {
    private static let secret = "hunter2"

    /// Sends a call, which must fail before anything is sent; returns the error.
    private func refusal(
        of call: Call<NoContent>,
        token: BearerToken? = nil,
        interceptors: [any HTTPInterceptor] = []
    ) async throws -> NetworkError {
        let script = Script { _, _ in TransportResponse(status: 204) }
        let client = try APIClient(script, token: token, interceptors: interceptors)
        let error = await #expect(throws: NetworkError.self) { try await client.send(call) }
        #expect(script.requests.isEmpty)
        return try #require(error)
    }

    @Test(
        "a path that leaves the base, for whoever decodes it how often, fails",
        arguments: [
            "..", "users/..", "../admin", "users/../../admin", "/..", "users/%2e%2e/admin", "users/%2E./admin",
            "users/.%2e", "users/..%2fadmin", "users/%252e%252e/admin", "%25252e%25252e", ".", "users/./admin",
            "users/%2e", "//evil.example/x", "%2f/evil.example", "/%2Fevil.example", #"\\evil.example"#, #"..\admin"#,
            #"users\admin"#, "users%5cadmin", "users/..;/admin", "users/..;a=b", "users/%2e%2e%3b/admin",
            "../\u{301}admin", "users/..;\u{200D}", "users/%2e%2e%2f\u{20DD}admin", "a/\u{600}/..",
            "//\u{301}evil.example", "users/17\u{0}", "users/17%00", "users/17\r\nHost: evil", "users/%0d%0aX: y",
        ])
    func path(path: String) async throws {
        var call = Call(NoContent.self)
        call.path = path
        let error = try await refusal(of: call)
        #expect(error.kind == .invalidURL && error.neverReachedServer && error.mayBeSentAgain)
        let detail = try #require(error.detail)
        #expect(detail.hasPrefix("the path ") && "\(error)" == "invalidURL, \(detail)")
        #expect(!detail.contains("admin") && !detail.contains("evil"))
    }

    @Test(
        "dots, percent signs, slashes and colons within a path are sent as they are meant",
        arguments: [
            ("users/a..b", "users/a..b"), ("users/...", "users/..."), ("..a", "..a"), ("100%", "100%25"),
            ("a%zz", "a%25zz"), ("a%20b", "a%2520b"), ("/users/", "users/"), ("a//b", "a//b"), ("a:b", "a:b"),
            ("http://x", "http://x"), ("日本", "%E6%97%A5%E6%9C%AC"), ("a;b", "a;b"), ("@x", "@x"),
            ("a?b#c", "a%3Fb%23c"),
        ])
    func innocent(path: String, sent: String) async throws {
        let script = Script { _, _ in TransportResponse(status: 204) }
        var call = Call(NoContent.self)
        call.path = path
        _ = try await APIClient(script).send(call)
        expect(script.requests.first?.url.absoluteString, equals: "https://example.org/v1/\(sent)")
    }

    @Test("a base whose scheme is in capitals works as any other")
    func scheme() async throws {
        let script = Script { _, _ in TransportResponse(status: 204) }
        let base = try #require(URL(string: "HTTPS://example.org/v1"))
        _ = try await APIClient(base: base, transport: script).send(Call(NoContent.self))
        expect(script.requests.first?.url.absoluteString, equals: "https://example.org/v1/users/17")
    }

    @Test(
        "a header value with a line break or another control character fails, and is not written down",
        arguments: ["\r\nX-Admin: yes", "\n", "\r", "\u{0}", "\u{8}", "\u{7F}", "\r\n"])
    func values(character: String) async throws {
        let value = Self.secret + character
        let error = try await refusal(of: Call(NoContent.self, headers: ["X-Key": value]))
        #expect(error.kind == .encoding && error.mayBeSentAgain)
        expect(error.detail, equals: "the value of the header field X-Key contains a control character")
        let refused = try await refusal(of: Call(NoContent.self), token: BearerToken(value) { "" })
        expect(refused.detail, equals: "the value of the header field Authorization contains a control character")
        for error in [error, refused] { #expect(!"\(error)".contains(Self.secret)) }
    }

    @Test(
        "a header name that is no token fails, and is not written down",
        arguments: ["", "X Key", "X-Key:", "X-Key\r\nX-Admin: yes\r\nY", "X\u{0}", "é", "(x)", "X\n", "\r\n"])
    func names(name: String) async throws {
        let error = try await refusal(of: Call(NoContent.self, headers: [name: Self.secret]))
        #expect(error.kind == .encoding && error.detail == "the name of a header field is not a token")
    }

    @Test(
        "a field that says where the body ends fails: it is the transport's",
        arguments: ["Content-Length", "content-length", "Transfer-Encoding"])
    func framing(name: String) async throws {
        let error = try await refusal(of: Call(NoContent.self, method: "POST", headers: [name: "0"], body: ["a": "b"]))
        #expect(error.kind == .encoding && error.detail == "the header field \(name) is the transport's to set")
    }

    @Test(
        "a method that is no token fails, and is not written down",
        arguments: ["", "GET ", "GET / HTTP/1.1\r\nX: y", "G\nT", "GÉT", "GET\u{0}"])
    func methods(method: String) async throws {
        let error = try await refusal(of: Call(NoContent.self, method: method))
        #expect(error.kind == .encoding && error.detail == "the method is not a token")
    }

    @Test("what an interceptor makes of a request is checked too")
    func interceptors() async throws {
        struct Breaking: HTTPInterceptor {
            func prepare(_ request: inout TransportRequest) async throws { request.headers["X-Trace"] = "1\r\n2" }
        }
        let error = try await refusal(of: Call(NoContent.self), interceptors: [Breaking()])
        expect(error.detail, equals: "the value of the header field X-Trace contains a control character")
    }

    @Test("tabs, spaces and other languages in a header value are sent as they are")
    func innocentValues() async throws {
        let script = Script { _, _ in TransportResponse(status: 204) }
        _ = try await APIClient(script).send(Call(NoContent.self, headers: ["X-Name": "a\tb é 日"]))
        expect(script.requests.first?.headers["X-Name"], equals: "a\tb é 日")
    }
}
