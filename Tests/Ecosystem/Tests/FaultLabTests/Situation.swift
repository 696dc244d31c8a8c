import FaultServer
import Foundation
import HTTPErrors
import Testing

/// A situation of a request, and its expected outcome on every transport.
struct Situation: Sendable, CustomTestStringConvertible {
    let name: String
    /// The outcome on all transports that aren't known to differ.
    let expected: Outcome
    /// The outcome on URLSession, if it accepts what other HTTP stacks reject or rejects what they accept.
    var onURLSession: Outcome?
    var options = TransportUnderTest.Options()
    var checksBody: String?
    var path = ""
    let message: @Sendable (FaultServer) -> TransportRequest

    // The five hundred statuses share one server.
    var isStatus: Bool { name.hasPrefix("status ") }

    var testDescription: String { "\(name): \(expected.testDescription)" }

    /// Creates a situation that a path of the server causes.
    init(
        _ name: String,
        _ path: String,
        _ expected: Outcome,
        onURLSession: Outcome? = nil,
        body: String? = nil,
        method: HTTPMethod = .get,
        scheme: FaultServer.Scheme = .http,
        port: FaultServer.Scheme? = nil,
        timeout: Duration? = nil
    ) {
        self.name = name
        self.expected = expected
        self.onURLSession = onURLSession
        checksBody = body
        self.path = path
        message = { server in
            TransportRequest(method: method, url: server.url(path, scheme: scheme, port: port), timeout: timeout)
        }
    }

    /// Creates a situation that only the address causes.
    init(_ name: String, address: String, _ expected: Outcome, onURLSession: Outcome? = nil) {
        self.name = name
        self.expected = expected
        self.onURLSession = onURLSession
        message = { _ in TransportRequest(url: URL(string: address) ?? URL(filePath: "/")) }
    }
}

extension Situation {
    static let all =
        statuses + answers + challenges + redirects + connections + lies + lengths + heads + sizes + times + addresses

    // Short enough for fast tests, and long enough for a busy machine.
    private static let short = Duration.milliseconds(300)

    private static let statuses: [Situation] = (100...599).filter { $0 != 101 }.map { status in
        let kind = NetworkError(HTTPFailure(status: status)).kind
        // A status below 200 is only informational: another answer follows.
        let expected: Outcome = status < 200 ? .success(200) : status < 300 ? .success(status) : .failure(kind)
        return Situation("status \(status)", "/status/\(status)", expected)
    }

    private static let answers: [Situation] = [
        Situation("early hints before the answer", "/status/103", .success(200), body: #"{"status":103}"#),
        Situation("good JSON", "/json?a=1&b=two", .success(200), body: #"{"a":"1","b":"two"}"#),
        Situation("a HEAD", "/json?a=1", .success(200), body: "", method: .head),
        Situation("a HEAD of a body that is too large", "/big/100", .success(200), body: "", method: .head),
        Situation("malformed JSON", "/malformed-json", .success(200)),
        Situation("an empty body", "/empty", .success(200), body: ""),
        Situation("no content", "/no-content", .success(204), body: ""),
        Situation("HTML instead of JSON", "/content-type/html", .success(200)),
        Situation("HTML without a content type", "/content-type/none", .success(200)),
        Situation("gzip", "/gzip", .success(200), body: #"{"answer":"packed"}"#),
        Situation("503, retry after 120 seconds", "/retry-after/seconds", .failure(.server)),
        Situation("503, retry after an IMF date", "/retry-after/imf", .failure(.server)),
        Situation("503, retry after an RFC 850 date", "/retry-after/rfc850", .failure(.server)),
        Situation("503, retry after an asctime date", "/retry-after/asctime", .failure(.server)),
    ]

    private static let challenges: [Situation] = [
        Situation("401, Basic", "/challenge?by=Basic%20realm=%22a%22", .failure(.unauthorized)),
        Situation("401, lowercase basic", "/challenge?by=basic%20realm=a", .failure(.unauthorized)),
        Situation("401, Basic without a realm", "/challenge?by=Basic", .failure(.unauthorized)),
        Situation(
            "401, Bearer and Basic", "/challenge?by=Bearer%20realm=%22a%22,%20Basic%20realm=%22a%22",
            .failure(.unauthorized)),
        Situation("401, Digest", "/challenge?by=Digest%20realm=%22a%22,%20nonce=%22b%22", .failure(.unauthorized)),
        Situation(
            "401, four schemes", "/challenge?by=Negotiate&by=NTLM&by=Digest%20realm=a&by=Basic%20realm=a",
            .failure(.unauthorized)),
        Situation("407, Basic", "/challenge?status=407&by=Basic%20realm=%22a%22", .failure(.http)),
    ]

    // A transport doesn't follow redirects; a client follows redirects with a usable target.
    private static let redirects: [Situation] = [
        Situation("three redirects", "/redirect/3", .failure(.http)),
        Situation("a redirect loop", "/redirect-loop", .failure(.http)),
        Situation("a redirect without a target", "/status/302", .failure(.http)),
        Situation("a redirect to an empty target", "/raw/redirect/empty", .failure(.http)),
        Situation("a redirect to an invalid URL", "/raw/redirect/no-url", .failure(.http)),
        Situation("a redirect without a host", "/raw/redirect/nowhere", .failure(.http)),
        Situation("a redirect to a mailto URL", "/raw/redirect/mail", .failure(.http)),
        Situation("a redirect to a file", "/raw/redirect/file", .failure(.http)),
        Situation("a redirect to an invalid port", "/raw/redirect/port", .failure(.http)),
        Situation("a redirect to //[::1]", "/raw/redirect/ipv6", .failure(.http)),
        Situation("a redirect to a port without a server", "/redirect?to=http://127.0.0.1:9/", .failure(.http)),
        Situation("303 to a port without a server", "/redirect?status=303&to=http://127.0.0.1:9/", .failure(.http)),
    ]

    private static let connections: [Situation] = [
        Situation("connection dropped before the response headers", "/drop/before", .failure(.connection)),
        Situation("connection reset before the response headers", "/drop/reset", .failure(.connection)),
        Situation("connection dropped within the response headers", "/drop/within-headers", .failure(.connection)),
        Situation("connection dropped after the response headers", "/drop/after-headers", .failure(.connection)),
        Situation("a truncated body", "/truncated", .failure(.connection)),
        Situation("a truncated chunked body", "/truncated/chunks", .failure(.connection)),
        Situation("a self-signed certificate", "/json", .failure(.connection), scheme: .https),
        Situation("TLS on the plain port", "/json", .failure(.connection), scheme: .https, port: .http),
    ]

    private static let lies: [Situation] = [
        Situation("garbage", "/garbage", .failure(.invalidResponse)),
        Situation("a length that isn't a number", "/wrong-length/words", .failure(.invalidResponse)),
        Situation("a body longer than its length", "/wrong-length", .success(200), body: #"{"ans"#),
        Situation("invalid gzip", "/gzip/garbage", .failure(.invalidResponse)),
        Situation("gzip with bytes after its end", "/gzip/trailing", .failure(.invalidResponse)),
        Situation("chunked gzip with a chunk after its end", "/gzip/trailing-chunk", .failure(.invalidResponse)),
        Situation(
            "truncated gzip", "/gzip/truncated", .failure(.invalidResponse), onURLSession: .success(200)),
        Situation("plain HTTP on the TLS port", "/json", .failure(.connection), scheme: .http, port: .https),
    ]

    private static let lengths: [Situation] = [
        Situation("no length", "/raw/length/none", .success(200), body: "{}"),
        Situation("an empty length", "/raw/length/empty", .failure(.invalidResponse)),
        Situation("a negative length", "/raw/length/negative", .failure(.invalidResponse)),
        Situation("a hexadecimal length", "/raw/length/hexadecimal", .failure(.invalidResponse)),
        Situation("a length with a sign", "/raw/length/plus", .failure(.invalidResponse)),
        Situation("a length of 2^62", "/raw/length/2-62", .failure(.bodyTooLarge)),
        Situation("a length of 2^63 - 1", "/raw/length/2-63", .failure(.bodyTooLarge)),
        Situation("a length of 2^70", "/raw/length/2-70", .failure(.invalidResponse)),
        Situation("two lengths", "/raw/length/two", .failure(.invalidResponse)),
        Situation(
            "the same length twice", "/raw/length/twice", .failure(.invalidResponse), onURLSession: .success(200)),
        Situation(
            "a length and chunks", "/raw/length/two-chunked", .failure(.invalidResponse),
            onURLSession: .success(200)),
        Situation("304 with a length", "/raw/not-modified", .failure(.http)),
        Situation("a trailer after chunks", "/raw/trailer", .success(200), body: "{}"),
        Situation("chunks with extensions", "/raw/chunk-extension", .success(200), body: "{}"),
        Situation("a chunk size that isn't a number", "/raw/chunk-size/words", .failure(.invalidResponse)),
        Situation("a negative chunk size", "/raw/chunk-size/negative", .failure(.invalidResponse)),
        Situation("a chunk of 2^63 - 1 bytes", "/raw/chunk-size/2-63", .failure(.connection)),
        Situation(
            "a chunk of 2^64 - 1 bytes", "/raw/chunk-size/2-64", .failure(.connection),
            onURLSession: .failure(.invalidResponse)),
        Situation("an unknown transfer coding", "/raw/coding/unknown", .failure(.invalidResponse)),
        Situation(
            "an unknown content encoding", "/raw/encoding/unknown", .success(200),
            onURLSession: .failure(.invalidResponse)),
        Situation("nine content encodings", "/raw/encoding/nine-times", .failure(.invalidResponse)),
        Situation("204 with a body", "/raw/body-without-need", .success(204), body: ""),
        Situation("205 with a body", "/raw/reset-content", .success(205), body: "{}"),
    ]

    private static let heads: [Situation] = [
        Situation("HTTP/0.9", "/raw/version/0.9", .failure(.invalidResponse)),
        Situation("HTTP/1.0", "/raw/version/1.0", .success(200), body: "{}"),
        Situation(
            "HTTP/2 that wasn't requested", "/raw/version/2", .failure(.invalidResponse), onURLSession: .success(200)),
        Situation("HTTP/3.7", "/raw/version/3.7", .failure(.invalidResponse)),
        Situation("a status line without a code", "/raw/status/none", .failure(.invalidResponse)),
        Situation("code 000", "/raw/status/000", .failure(.invalidResponse)),
        Situation("code 099", "/raw/status/099", .failure(.invalidResponse)),
        Situation("code 600", "/raw/status/600", .failure(.invalidResponse)),
        Situation("code 999", "/raw/status/999", .failure(.invalidResponse)),
        Situation("code 1000", "/raw/status/1000", .failure(.invalidResponse)),
        Situation("code -20", "/raw/status/negative", .failure(.invalidResponse)),
        Situation(
            "a status line without a reason", "/raw/status/without-reason", .success(200),
            onURLSession: .failure(.invalidResponse)),
        Situation(
            "a status line in Latin-1", "/raw/status/latin-1", .success(200), onURLSession: .failure(.invalidResponse)),
        Situation("two hundred early hints", "/raw/announced", .success(200), body: "{}"),
        Situation("nothing but early hints", "/raw/only-announced", .failure(.connection)),
        Situation("a header with NUL", "/raw/header/nul", .failure(.invalidResponse)),
        Situation("a header that begins with NUL", "/raw/header/nul-first", .failure(.invalidResponse)),
        Situation(
            "a header that begins with a carriage return", "/raw/header/return-first", .failure(.invalidResponse)),
        Situation(
            "a header that begins with a carriage return, and a body", "/raw/header/return-before-body",
            .failure(.invalidResponse)),
        Situation(
            "a header that begins with a carriage return, after early hints", "/raw/header/return-after-hints",
            .failure(.invalidResponse)),
        Situation("a header name with NUL", "/raw/header/nul-in-name", .failure(.invalidResponse)),
        Situation(
            "a header in Latin-1", "/raw/header/latin-1", .success(200), onURLSession: .failure(.invalidResponse)),
        Situation(
            "a header with a carriage return", "/raw/header/return", .failure(.invalidResponse),
            onURLSession: .success(200)),
        Situation("a header without a colon", "/raw/header/without-colon", .failure(.invalidResponse)),
        Situation("a header without a name", "/raw/header/without-name", .failure(.invalidResponse)),
        Situation("a header name with a space", "/raw/header/space-in-name", .failure(.invalidResponse)),
        Situation("a folded header", "/raw/header/folded", .failure(.invalidResponse), onURLSession: .success(200)),
        Situation("a header of 60 KB", "/raw/header/long", .success(200), body: "{}"),
        Situation("a header of 2 MB", "/raw/header/too-long", .failure(.invalidResponse)),
        Situation("5,000 headers", "/raw/header/many", .failure(.invalidResponse), onURLSession: .success(200)),
        Situation("100,000 headers", "/raw/header/too-many", .failure(.invalidResponse)),
        Situation("malformed cookies", "/raw/header/cookies", .success(200), body: "{}"),
        Situation("lines that end in a bare line feed", "/raw/line-feeds", .failure(.invalidResponse)),
    ]

    private static let sizes: [Situation] = [
        Situation("a 100 MB body with a limit of 1 MB", "/big/100", .failure(.bodyTooLarge)),
        Situation("endless chunks", "/endless-chunks", .failure(.bodyTooLarge)),
        Situation("100 MB of zeros in 100 KB of gzip", "/gzip/bomb", .failure(.bodyTooLarge)),
    ]

    private static let times: [Situation] = [
        Situation("slow headers in time", "/slow-headers?ms=50", .success(200), body: #"{"answer":"slow"}"#),
        Situation("slow body in time", "/slow-body?ms=50", .success(200), body: #"{"answer":"slow"}"#),
        Situation("a dripping body in time", "/drip?ms=5", .success(200), body: #"{"answer":"drop by drop"}"#),
        Situation("slow headers", "/slow-headers", .failure(.timeout), timeout: short),
        Situation("a slow body", "/slow-body", .failure(.timeout), timeout: short),
        Situation("one byte per second", "/drip", .failure(.timeout), timeout: short),
        Situation("no response", "/hang", .failure(.timeout), timeout: short),
    ]

    private static let addresses: [Situation] = [
        // The port of the discard protocol, on which no server listens.
        Situation("no server on the port", address: "http://127.0.0.1:9/", .failure(.connection)),
        Situation(
            "no server on the port, at an IPv6 address", address: "http://[::1]:9/", .failure(.connection),
            onURLSession: .failure(.invalidURL)),
        // RFC 6761 reserves this name, so it never resolves.
        Situation("no such host", address: "http://nowhere.invalid/", .failure(.connection)),
        Situation("an invalid port", address: "http://127.0.0.1:99999999/", .failure(.invalidURL)),
        Situation("an unknown scheme", address: "gopher://127.0.0.1/", .failure(.invalidURL)),
    ]
}
