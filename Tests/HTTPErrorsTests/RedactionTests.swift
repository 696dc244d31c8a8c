import ErrorRouting
import Foundation
import Testing

@testable import HTTPErrors

/// [H8](../../Sources/HTTPErrors/HTTPErrors.docc/HTTPErrors.md#what-is-promised).
@Suite("H8: no header value, token, body or query is written down")
struct RedactionTests {
    private static let secret = "hunter2"

    private static func url() throws -> URL {
        try #require(URL(string: "https://user:\(secret)@example.org/path?token=\(secret)#\(secret)"))
    }

    /// Returns values of all types that may be printed.
    private static func values() throws -> [Any] {
        let url = try url()
        let problem = #"{"type": "about:blank?\#(secret)", "detail": "\#(secret)", "instance": "\#(secret)"}"#
        let failure = HTTPFailure(
            status: 429,
            headers: [
                "Authorization": secret, "Cookie": secret, "Set-Cookie": secret, "X-Other": secret,
                "Content-Type": "application/problem+json",
            ],
            body: Data(problem.utf8))
        try #require(failure.problem?.detail == secret)
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: url, NSLocalizedDescriptionKey: "no answer from \(url)",
            NSUnderlyingErrorKey: NSError(domain: "d", code: 1, userInfo: [NSURLErrorFailingURLErrorKey: url]),
        ]
        let urlErrors = [-1001, -1004, -1009, -1011, -1000, -1, -999].map { code in
            NetworkError.from(NSError(domain: NSURLErrorDomain, code: code, userInfo: info))
        }
        let codings = [
            { _ = try JSONDecoder().decode([Choice].self, from: Data(#"["\#(secret)"]"#.utf8)) },
            { _ = try JSONDecoder().decode([String: Int].self, from: Data(#"{"a": "\#(secret)"}"#.utf8)) },
            { _ = try JSONDecoder().decode(User.self, from: Data(secret.utf8)) },
            { _ = try JSONEncoder().encode(Unencodable(text: secret)) },
        ].compactMap { coding -> NetworkError? in
            do {
                try coding()
                return nil
            } catch {
                return .from(error)
            }
        }
        #expect(codings.map(\.kind) == [.decoding, .decoding, .decoding, .encoding])
        let message = HTTPMessage(
            method: "POST", url: url, headers: ["Authorization": secret], body: Data(secret.utf8))
        let answer = HTTPAnswer(status: 200, headers: ["Set-Cookie": secret], body: Data(secret.utf8))
        let token = BearerToken(secret) { secret }
        return NetworkError.samples(of: failure) + urlErrors + codings
            + [failure, failure.headers, failure.problem as Any, message, answer, token] as [Any]
    }

    private enum Choice: String, Decodable { case only }

    private struct Unencodable: Encodable {
        let text: String

        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(text, .init(codingPath: [], debugDescription: text))
        }
    }

    @Test("no secret is in a description or a reflection")
    func printing() throws {
        for value in try Self.values() {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(Self.secret), "\(type(of: value)): \(text)")
            }
        }
    }

    @Test("no secret is in the line that the library writes of an error, with all that is under it")
    func lines() throws {
        let written = Locked<[String]>([])
        let lastResort = LastResort { line in written.withLock { $0.append(line) } }
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
        bus.finish()
        let errors = try Self.values().compactMap { $0 as? any Error }
        for error in errors { bus.post(error) }
        #expect(written.withLock { $0.count } == errors.count)
        for line in written.withLock({ $0 }) { #expect(!line.contains(Self.secret), "\(line)") }
    }

    @Test("a description says the kind, the status, the code, and where a value was not as asked for")
    func descriptions() throws {
        #expect("\(NetworkError.server(HTTPFailure(status: 503)))" == "server, HTTP 503")
        #expect("\(NetworkError(URLError(.cannotConnectToHost)))" == "connection, URLError -1004")
        #expect("\(NetworkError(URLError(.timedOut)))" == "timeout, URLError -1001")
        #expect("\(NetworkError.api(GitHubError(code: 1), HTTPFailure(status: 422)))" == "api, GitHubError, HTTP 422")
        #expect("\(NetworkError.bodyTooLarge(limit: 9))" == "bodyTooLarge, more than 9 bytes")
        #expect("\(HTTPMessage(method: "PUT", url: try Self.url()))" == "PUT https://example.org/path")
        #expect("\(HTTPHeaders([("A", "1"), ("b", "2")]))" == "[A, b]")
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([String: [Choice]].self, from: Data(#"{"a": ["only", "x"]}"#.utf8))
        }
        guard case .decoding(DecodingError.dataCorrupted(let context)) = NetworkError(decoding: try #require(error))
        else { throw URLError(.unknown) }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    }
}
