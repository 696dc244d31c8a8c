import FaultServer
import Foundation
import HTTPErrors
import Testing

/// Something that can happen to a request, and what is to become of it on every transport.
struct Situation: Sendable, CustomTestStringConvertible {
    let name: String
    let expected: Outcome
    var options = TransportUnderTest.Options()
    var checksBody: String?
    var path = ""
    let message: @Sendable (FaultServer) -> HTTPMessage

    // There are five hundred of these, which are not worth a server each.
    var isStatus: Bool { name.hasPrefix("status ") }

    var testDescription: String { "\(name): \(expected.testDescription)" }

    /// A situation that a path of the server makes.
    init(
        _ name: String,
        _ path: String,
        _ expected: Outcome,
        body: String? = nil,
        method: String = "GET",
        scheme: FaultServer.Scheme = .http,
        port: FaultServer.Scheme? = nil,
        timeout: Duration? = nil
    ) {
        self.name = name
        self.expected = expected
        checksBody = body
        self.path = path
        message = { server in
            HTTPMessage(method: method, url: server.url(path, scheme: scheme, port: port), timeout: timeout)
        }
    }

    /// A situation that is made by the address alone.
    init(_ name: String, address: String, _ expected: Outcome) {
        self.name = name
        self.expected = expected
        message = { _ in HTTPMessage(url: URL(string: address) ?? URL(filePath: "/")) }
    }
}

extension Situation {
    static let all = statuses + answers + connections + lies + sizes + times + addresses

    // A time that passes even where the machine is busy, and makes no test slow.
    private static let short = Duration.milliseconds(300)

    private static let statuses: [Situation] = (100...599).filter { $0 != 101 }.map { status in
        let kind = NetworkError(HTTPFailure(status: status)).kind
        // What is below 200 only announces an answer.
        let expected: Outcome = status < 200 ? .success(200) : status < 300 ? .success(status) : .failure(kind)
        return Situation("status \(status)", "/status/\(status)", expected)
    }

    private static let answers: [Situation] = [
        Situation("early hints before the answer", "/status/103", .success(200), body: #"{"status":103}"#),
        Situation("good JSON", "/json?a=1&b=two", .success(200), body: #"{"a":"1","b":"two"}"#),
        Situation("a HEAD", "/json?a=1", .success(200), body: "", method: "HEAD"),
        Situation("a HEAD of what is too large", "/big/100", .success(200), body: "", method: "HEAD"),
        Situation("malformed JSON", "/malformed-json", .success(200)),
        Situation("an empty body", "/empty", .success(200), body: ""),
        Situation("no content", "/no-content", .success(204), body: ""),
        Situation("HTML in place of JSON", "/content-type/html", .success(200)),
        Situation("HTML without a content type", "/content-type/none", .success(200)),
        Situation("gzip", "/gzip", .success(200), body: #"{"answer":"packed"}"#),
        Situation("three redirects", "/redirect/3", .success(200), body: #"{"redirected":"yes"}"#),
        Situation("a redirect loop", "/redirect-loop", .failure(.invalidResponse)),
        Situation("503, again after 120 seconds", "/retry-after/seconds", .failure(.server)),
        Situation("503, again after an IMF date", "/retry-after/imf", .failure(.server)),
        Situation("503, again after an RFC 850 date", "/retry-after/rfc850", .failure(.server)),
        Situation("503, again after an asctime date", "/retry-after/asctime", .failure(.server)),
    ]

    private static let connections: [Situation] = [
        Situation("dropped before the headers", "/drop/before", .failure(.connection)),
        Situation("reset before the headers", "/drop/reset", .failure(.connection)),
        Situation("dropped within the headers", "/drop/within-headers", .failure(.connection)),
        Situation("dropped after the headers", "/drop/after-headers", .failure(.connection)),
        Situation("a truncated body", "/truncated", .failure(.connection)),
        Situation("a truncated body in chunks", "/truncated/chunks", .failure(.connection)),
        Situation("a certificate nobody signed", "/json", .failure(.connection), scheme: .https),
        Situation("TLS on the plain port", "/json", .failure(.connection), scheme: .https, port: .http),
    ]

    private static let lies: [Situation] = [
        Situation("garbage", "/garbage", .failure(.invalidResponse)),
        Situation("a length that is none", "/wrong-length/words", .failure(.invalidResponse)),
        Situation("a body longer than its length", "/wrong-length", .success(200), body: #"{"ans"#),
        Situation("gzip that is none", "/gzip/garbage", .failure(.invalidResponse)),
        Situation("plain HTTP on the TLS port", "/json", .failure(.connection), scheme: .http, port: .https),
    ]

    private static let sizes: [Situation] = [
        Situation("100 MB where 1 MB is the limit", "/big/100", .failure(.bodyTooLarge)),
        Situation("chunks without end", "/endless-chunks", .failure(.bodyTooLarge)),
        Situation("100 MB of zeros in 100 KB of gzip", "/gzip/bomb", .failure(.bodyTooLarge)),
    ]

    private static let times: [Situation] = [
        Situation("slow headers in time", "/slow-headers?ms=50", .success(200), body: #"{"answer":"slow"}"#),
        Situation("slow body in time", "/slow-body?ms=50", .success(200), body: #"{"answer":"slow"}"#),
        Situation("a dripping body in time", "/drip?ms=5", .success(200), body: #"{"answer":"drop by drop"}"#),
        Situation("slow headers", "/slow-headers", .failure(.timeout), timeout: short),
        Situation("a slow body", "/slow-body", .failure(.timeout), timeout: short),
        Situation("a byte a second", "/drip", .failure(.timeout), timeout: short),
        Situation("no answer at all", "/hang", .failure(.timeout), timeout: short),
    ]

    private static let addresses: [Situation] = [
        // The port of the discard protocol, which nobody offers.
        Situation("nobody listens", address: "http://127.0.0.1:9/", .failure(.connection)),
        // RFC 6761: a name that cannot be.
        Situation("no such host", address: "http://nowhere.invalid/", .failure(.connection)),
        Situation("a scheme nobody speaks", address: "gopher://127.0.0.1/", .failure(.invalidURL)),
    ]
}
