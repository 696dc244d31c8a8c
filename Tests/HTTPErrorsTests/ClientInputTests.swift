import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H9: a request that its author can't have intended isn't sent", .tags(.http9), .hangLimit)
struct ClientInputTests {}

extension ClientInputTests {
    private static let secret = "hunter2"

    /// Sends a call that must fail before anything is sent, then returns the error.
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

    @Test("a path that leads out of the base fails, however many times it must be decoded")
    func path() async throws {
        for path in [
            "..", "users/..", "../admin", "users/../../admin", "/..", "users/%2e%2e/admin", "users/%2E./admin",
            "users/.%2e", "users/..%2fadmin", "users/%252e%252e/admin", "%25252e%25252e", ".", "users/./admin",
            "users/%2e", "//evil.example/x", "%2f/evil.example", "/%2Fevil.example", #"\\evil.example"#, #"..\admin"#,
            #"users\admin"#, "users%5cadmin", "users/..;/admin", "users/..;a=b", "users/%2e%2e%3b/admin",
            "../\u{301}admin", "users/..;\u{200D}", "users/%2e%2e%2f\u{20DD}admin", "a/\u{600}/..",
            "//\u{301}evil.example", "users/17\u{0}", "users/17%00", "users/17\r\nHost: evil", "users/%0d%0aX: y",
        ] {
            var call = Call(NoContent.self)
            call.path = path
            let error = try await refusal(of: call)
            let detail = error.detail ?? ""
            #expect(detail.hasPrefix("the path "), "\(path)")
            expect("\(error)", equals: "invalidURL, \(detail)")
            #expect(!detail.contains(/admin|evil/), "\(path)")
            expect(error.neverReachedServer, equals: true)
            expect(error.mayBeSentAgain, equals: true)
        }
    }

    @Test("paths, bases, and header values that are merely unusual are sent as intended")
    func innocent() async throws {
        let script = Script { _, _ in TransportResponse(status: 204) }
        for (path, sent) in [
            ("users/a..b", "users/a..b"), ("users/...", "users/..."), ("..a", "..a"), ("100%", "100%25"),
            ("a%zz", "a%25zz"), ("a%2", "a%252"), ("a%20b", "a%20b"), ("projects/group%2Fapp", "projects/group%2Fapp"),
            ("%e6%97%a5", "%e6%97%a5"), ("/users/", "users/"), ("a//b", "a//b"), ("a:b", "a:b"),
            ("http://x", "http://x"), ("日本", "%E6%97%A5%E6%9C%AC"), ("a;b", "a;b"), ("@x", "@x"),
            ("a?b#c", "a%3Fb%23c"),
        ] {
            var call = Call(NoContent.self)
            call.path = path
            _ = try await APIClient(script).send(call)
            expect(script.requests.last?.url.absoluteString, equals: "https://example.org/v1/\(sent)")
        }
        let relative = try #require(URL(string: "v1", relativeTo: URL(string: "https://example.org/api/")))
        _ = try await APIClient(base: relative, transport: script).send(Call(NoContent.self))
        expect(script.requests.last?.url.absoluteString, equals: "https://example.org/api/v1/users/17")
        let base = try #require(URL(string: "HTTPS://example.org/v1"))
        let call = Call(NoContent.self, headers: ["X-Name": "a\tb é 日"])
        _ = try await APIClient(base: base, transport: script).send(call)
        expect(script.requests.last?.url.absoluteString, equals: "https://example.org/v1/users/17")
        expect(script.requests.last?.headers["X-Name"], equals: "a\tb é 日")
    }

    @Test("user input is one segment, whatever it contains, or isn't sent; dots don't lead out of the base")
    func segments() async throws {
        let script = Script { _, _ in TransportResponse(status: 204) }
        for (text, sent) in [
            ("group/app", "group%2Fapp"), ("a b", "a%20b"), ("50%", "50%25"), ("%2F", "%252F"),
            ("a?b#c;d", "a%3Fb%23c%3Bd"),
            ("日", "%E6%97%A5"), ("a-b._~", "a-b._~"), ("é+@:", "%C3%A9%2B%40%3A"),
        ] {
            var call = Call(NoContent.self)
            call.path = "projects/\(call.segment(text))/x"
            expect(call.segment(text), equals: sent)
            _ = try await APIClient(script).send(call)
            expect(script.requests.last?.url.absoluteString, equals: "https://example.org/v1/projects/\(sent)/x")
        }
        for text in ["..", ".", "../x", "a\\b", "a\r\nb", "%2e%2e"] {
            var call = Call(NoContent.self)
            call.path = "projects/\(call.segment(text))"
            expect(try await refusal(of: call).kind, equals: .invalidURL)
        }
    }

    @Test("the base's query stays unchanged, and the request's query is added to it")
    func query() async throws {
        let script = Script { _, _ in TransportResponse(status: 204) }
        let base = try #require(URL(string: "https://example.org/v1/?q=a+b&r=%2B%20c"))
        var call = Call(NoContent.self)
        for (query, sent) in [
            ([], "q=a+b&r=%2B%20c"), ([URLQueryItem(name: "s", value: "1+1 =2")], "q=a+b&r=%2B%20c&s=1%2B1%20%3D2"),
        ] {
            call.query = query
            _ = try await APIClient(base: base, transport: script).send(call)
            expect(script.requests.last?.url.absoluteString, equals: "https://example.org/v1/users/17?\(sent)")
        }
        call.path = ""
        _ = try await APIClient(base: base, transport: script).send(call)
        expect(
            script.requests.last?.url.absoluteString,
            equals: "https://example.org/v1/?q=a+b&r=%2B%20c&s=1%2B1%20%3D2")
    }

    @Test("a method or a header field that would break the message fails, and no description contains it")
    func names() async throws {
        let control = "contains a control character"
        var cases: [(call: Call<NoContent>, detail: String)] = []
        for character in ["\r\nX-Admin: yes", "\n", "\r", "\u{0}", "\u{8}", "\u{7F}", "\r\n"] {
            let value = Self.secret + character
            let call = Call(NoContent.self, headers: ["X-Key": value])
            cases.append((call, "the value of the header field X-Key \(control)"))
            let refused = try await refusal(of: Call(NoContent.self), token: BearerToken(value) { "" })
            expect("\(refused)", equals: "encoding, the value of the header field Authorization \(control)")
        }
        for name in ["", "X Key", "X-Key:", "X-Key\r\nX-Admin: yes\r\nY", "X\u{0}", "é", "(x)", "X\n", "\r\n"] {
            let call = Call(NoContent.self, headers: [name: Self.secret])
            cases.append((call, "the name of a header field is not a token"))
        }
        // This field determines where the message's body ends.
        for name in ["Content-Length", "content-length", "Transfer-Encoding"] {
            let call = Call(NoContent.self, method: .post, headers: [name: "0"], body: ["a": "b"])
            cases.append((call, "the header field \(name) is the transport's to set"))
        }
        for method in ["", "GET ", "GET / HTTP/1.1\r\nX: y", "G\nT", "GÉT", "GET\u{0}"] {
            cases.append((Call(NoContent.self, method: HTTPMethod(rawValue: method)), "the method is not a token"))
        }
        for (call, detail) in cases {
            let error = try await refusal(of: call)
            expect("\(error)", equals: "encoding, \(detail)")
            expect(error.mayBeSentAgain, equals: true)
        }
    }

    @Test("a request is checked again after an interceptor changed it")
    func interceptors() async throws {
        struct Breaking: HTTPInterceptor {
            func prepare(_ request: inout TransportRequest) async throws { request.headers["X-Trace"] = "1\r\n2" }
        }
        let error = try await refusal(of: Call(NoContent.self), interceptors: [Breaking()])
        expect(error.detail, equals: "the value of the header field X-Trace contains a control character")
    }
}
