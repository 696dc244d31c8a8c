import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("H8: no description contains a header value, token, body, or query", .tags(.http8), .hangLimit)
struct RedactionTests {}

extension RedactionTests {
    private static let secret = "hunter2"

    private static func url() throws -> URL {
        try #require(URL(string: "https://user:\(secret)@example.org/path?token=\(secret)#\(secret)"))
    }

    /// Returns values of all types that could be printed.
    private static func values() throws -> [Any] {
        let url = try url()
        let problem = #"""
            {"type": "https://\#(secret):x@host/\#(secret)?\#(secret)", "status": 4711, \#
            "detail": "\#(secret)", "instance": "\#(secret)"}
            """#
        let failure = HTTPFailure(
            status: 429,
            headers: [
                "Authorization": secret, "Cookie": secret, "Set-Cookie": secret, "X-Other": secret,
                "Content-Type": "application/problem+json",
            ],
            body: Data(problem.utf8))
        try #require(failure.problem?.detail == secret)
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: url, NSLocalizedDescriptionKey: "no response from \(url)",
            NSUnderlyingErrorKey: NSError(domain: "d", code: 1, userInfo: [NSURLErrorFailingURLErrorKey: url]),
        ]
        let urlErrors = [-1001, -1004, -1009, -1011, -1000, -1, -999].map { code in
            NetworkError.from(NSError(domain: NSURLErrorDomain, code: code, userInfo: info))
        }
        let codings = [
            { _ = try JSONDecoder().decode([Choice].self, from: Data(#"["\#(secret)"]"#.utf8)) },
            { _ = try JSONDecoder().decode([String: Int].self, from: Data(#"{"a": "\#(secret)"}"#.utf8)) },
            { _ = try JSONDecoder().decode([String: Int].self, from: Data(#"{"\#(secret)": "a"}"#.utf8)) },
            { _ = try JSONDecoder().decode([String: [User]].self, from: Data(#"{"\#(secret)": [{}]}"#.utf8)) },
            { _ = try JSONDecoder().decode(Open.self, from: Data(#"{"\#(secret)": 1}"#.utf8)) },
            { _ = try JSONDecoder().decode(User.self, from: Data(secret.utf8)) },
            { _ = try JSONEncoder().encode(Unencodable(text: secret)) },
            { _ = try JSONEncoder().encode([secret: [Double.nan]]) },
        ].compactMap { coding -> NetworkError? in
            do {
                try coding()
                return nil
            } catch {
                return .from(error)
            }
        }
        expect(codings.map(\.kind), equals: Array(repeating: .decoding, count: 6) + [.encoding, .encoding])
        let causes = codings.compactMap(\.cause) + urlErrors.compactMap(\.cause)
        let foreign = NSError(domain: "d", code: 1, userInfo: info)
        let several: [String: Any] = ["NSMultipleUnderlyingErrorsKey": [foreign, URLError(.timedOut, userInfo: info)]]
        let kept: [any Error] =
            causes + [
                NSError(domain: NSURLErrorDomain, code: -1001, userInfo: info), foreign,
                NSError(domain: "d", code: 2, userInfo: several), CocoaError(.fileReadUnknown, userInfo: info),
                POSIXError(.EIO, userInfo: info), URLError(.unknown, userInfo: several),
                NSError(
                    domain: "d", code: 3,
                    userInfo: [
                        "NSErrorFailingURLStringKey": url.absoluteString, "body": Data(secret.utf8),
                        "headers": ["Cookie": secret], "url": NSURL(string: url.absoluteString) as Any,
                    ]),
            ]
        let wrapped = kept.map { NetworkError(.unauthorized, cause: $0, detail: "a detail") }
        let client = APIClient(base: url, transport: .urlSession())
        let type = NetworkError(.unexpectedContentType, detail: "text/\(secret)")
        let message = TransportRequest(
            method: .post, url: url, headers: ["Authorization": secret], body: Data(secret.utf8))
        let response = TransportResponse(status: 200, headers: ["Set-Cookie": secret], body: Data(secret.utf8))
        let token = BearerToken(secret) { secret }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Api-Key": secret, "User-Agent": secret]
        let transport = URLSessionHTTPTransport(configuration: configuration)
        let shown =
            wrapped.compactMap(\.cause)
            + [CircuitOpen(name: "c", retryAfter: nil, cause: foreign)].map {
                NetworkError(.server, cause: $0).cause as Any
            }
        let errors: [NetworkError] = NetworkError.samples(of: failure) + urlErrors + codings + wrapped
        let others: [Any] = [
            client, transport, type, failure, failure.headers, failure.problem as Any, message, response, token,
        ]
        return errors as [Any] + shown + others
    }

    /// A custom request with secrets in it.
    private struct LogIn: SecretHolding {
        let password = RedactionTests.secret
        var description: String { "LogIn" }
    }

    private enum Choice: String, Decodable { case only }

    /// A type that reads arbitrary keys, such as a dictionary's.
    private struct Open: Decodable {
        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys { _ = try container.decode(String.self, forKey: key) }
        }
    }

    private struct Unencodable: Encodable {
        let text: String

        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(text, .init(codingPath: [], debugDescription: text))
        }
    }

    @Test("descriptions, reflection, and the library's lines don't contain secrets")
    func printing() throws {
        let values = try Self.values()
        let own: [Any] = [LogIn(), [LogIn()], Optional(LogIn()) as Any]
        for value in values + own {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(Self.secret), "\(type(of: value)): \(text)")
                if value is LogIn { #expect(text.contains("LogIn")) }
            }
        }
        let written = Locked<[String]>([])
        let lastResort = LastResort { line in written.withLock { $0.append(line) } }
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
        bus.finish()
        let errors = values.compactMap { $0 as? any Error }
        for error in errors { bus.post(error) }
        expect(written.withLock { $0.count }, equals: errors.count)
        for line in written.withLock({ $0 }) { #expect(!line.contains(Self.secret), "\(line)") }
    }

    @Test("a description contains the kind, the status, the code, and the location of an invalid value")
    func descriptions() throws {
        expect(
            "\(ProblemDetails(type: "x", status: 403)), \(ProblemDetails(type: "x"))",
            equals: "problem, status 403, problem")
        let unprocessable = HTTPFailure(status: 422)
        expect("\(LogIn())", equals: "LogIn")
        expect("\(NetworkError(HTTPFailure(status: 503)))", equals: "server, HTTP 503")
        expect("\(NetworkError(URLError(.cannotConnectToHost)))", equals: "connection, URLError -1004")
        expect("\(NetworkError(URLError(.timedOut)))", equals: "timeout, URLError -1001")
        expect(
            "\(NetworkError(.service, cause: GitHubError(code: 1), failure: unprocessable))",
            equals: "service, GitHubError, HTTP 422")
        expect("\(NetworkError(.bodyTooLarge, detail: "more than 9 bytes"))", equals: "bodyTooLarge, more than 9 bytes")
        expect("\(TransportRequest(method: .put, url: try Self.url()))", equals: "PUT https://example.org/path")
        expect("\(HTTPHeaders([("A", "1"), ("b", "2")]))", equals: "[A, b]")
        struct Box: Decodable { let choices: [String: [Choice]] }
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Box.self, from: Data(#"{"choices": {"a": ["only", "x"]}}"#.utf8))
        }
        guard case DecodingError.dataCorrupted(let context)? = NetworkError(decoding: try #require(error)).cause
        else { throw URLError(.unknown) }
        expect(context.codingPath.map(\.stringValue), equals: ["choices", "*", "Index 1"])
    }

    @Test("a Foundation error keeps its type, its code, and the harmless parts of its user info")
    func foundation() throws {
        let url = try Self.url()
        let own: [String: Any] = ["code": 7, "reason": "declined", NSURLErrorFailingURLErrorKey: url]
        let errors: [any Error] = [
            NSError(domain: "shop", code: 3, userInfo: own), CocoaError(.fileReadNoSuchFile, userInfo: own),
            URLError(.timedOut, userInfo: own),
        ]
        for error in errors {
            let cause = try #require(NetworkError(.unknown, cause: error).cause)
            #expect(type(of: cause) == type(of: error))
            let (kept, old) = (cause as NSError, error as NSError)
            expect(kept.domain, equals: old.domain)
            expect(kept.code, equals: old.code)
            expect(kept.userInfo["code"] as? Int, equals: 7)
            expect(kept.userInfo["reason"] as? String, equals: "declined")
            expect(
                (kept.userInfo[NSURLErrorFailingURLErrorKey] as? URL)?.absoluteString,
                equals: "https://example.org/path")
        }
        // An error that contains itself.
        final class Endless: NSError, @unchecked Sendable {
            override var userInfo: [String: Any] { [NSUnderlyingErrorKey: self] }
        }
        let endless = Endless(domain: "shop", code: 1)
        #expect(NetworkError(.unknown, cause: endless).cause is Endless)
    }

    @Test("the base's path, where some services put the token, isn't in any description, report, or cause")
    func basePath() async throws {
        for path in ["/bot1:\(Self.secret)", "/bot1:\(Self.secret)/", "/\(Self.secret)%20x/v1"] {
            let base = try #require(URL(string: "https://example.org\(path)"))
            let script = Script { message, _ in
                let url = message.url
                throw URLError(
                    .networkConnectionLost,
                    userInfo: [
                        NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": url.absoluteString,
                        NSUnderlyingErrorKey: NSError(
                            domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "nothing at \(url)"]),
                    ])
            }
            let policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.zero)).retrying(matching: .transient)
            let client = APIClient(base: base, transport: script, retry: policy)
            var texts = ["\(client)"]
            let recorded = await withRecordedErrors { bus in
                await bus.catching { _ = try await client.send(Call(User.self)) }
            }
            expect(recorded.reports.count, equals: 2)
            for report in recorded.reports {
                var dumped = ""
                dump(report.error, to: &dumped)
                texts += [dumped, "\(report)", "\(report.metadata)", "\(report.trail)"]
                dump(ErrorMatcher.anywhere(.type(URLError.self)).match(report.error), to: &texts[0])
            }
            for ftp in ["ftp", "https"] {
                let none = try #require(URL(string: "\(ftp)://\(ftp == "ftp" ? "h" : "")\(path)"))
                let error = await #expect(throws: NetworkError.self) {
                    try await APIClient(base: none, transport: script).send(Call(User.self))
                }
                expect(error?.kind, equals: .invalidURL)
                texts.append("\(try #require(error)), \(error?.detail ?? "")")
            }
            for text in texts { #expect(!text.contains(Self.secret), "\(text)") }
            expect("\(client)", equals: "APIClient")
            expect(
                recorded.reports.first?.metadata["http.request"], equals: "GET https://example.org/…/users/17")
        }
    }

    @Test("a transport's own error doesn't contain the base's path either, because a circuit posts such errors")
    func transport() async throws {
        // No server listens on this port.
        let url = try #require(URL(string: "http://127.0.0.1:9/path?token=\(Self.secret)"))
        let error = try #require(
            await #expect(throws: URLError.self) {
                try await URLSessionHTTPTransport().send(TransportRequest(url: url))
            })
        expect(error.failingURL?.absoluteString, equals: "http://127.0.0.1:9/path")
        for text in ["\(error)", String(reflecting: error), "\(error as NSError)"] {
            #expect(!text.contains(Self.secret), "\(text)")
        }
    }

    @Test("thrown and posted errors of any origin keep their types, and lose everything that might be secret")
    func sources() async throws {
        let url = try Self.url()
        @Sendable func failure() -> URLError { URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url]) }
        struct Failing: HTTPInterceptor {
            let failure: @Sendable () -> URLError
            func inspect(_ response: inout TransportResponse, to request: TransportRequest) async throws {
                throw failure()
            }
        }
        let written = Locked<[String]>([])
        let lastResort = LastResort { line in written.withLock { $0.append(line) } }
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
        bus.finish()
        let clients = [
            try APIClient(
                Script { _, _ in TransportResponse(status: 401) }, errors: bus,
                token: BearerToken("a") { throw failure() }),
            try APIClient(Script { _, _ in .json("{}") }, errors: bus, interceptors: [Failing(failure: failure)]),
            try APIClient(Script { _, _ in TransportResponse(status: 500) }, errors: bus) { _ in failure() },
            try APIClient(Script { _, _ in throw failure() }, errors: bus),
        ]
        for client in clients {
            let error = try #require(
                await #expect(throws: NetworkError.self) { try await client.send(Call(User.self)) })
            let cause = try #require(ErrorMatcher.anywhere(.type(URLError.self)).match(error))
            expect(cause.failingURL?.absoluteString, equals: "https://example.org/path")
            bus.post(error)
        }
        expect(written.withLock { $0.count }, equals: 5)
        for line in written.withLock({ $0 }) { #expect(!line.contains(Self.secret), "\(line)") }
    }
}
