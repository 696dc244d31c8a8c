import ErrorRecovery
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

/// `ERROR_BUS_LONG=1` sends two hundred thousand requests.
@Suite(
    "Whatever a request and its response contain, the call ends as promised",
    .tags(.http5, .http8, .http9), .hangLimit)
struct ClientFuzzTests {}

extension ClientFuzzTests {
    private static let count = isLong ? 200_000 : 2_000
    private static let seeds = (0..<4).map(UInt64.init)

    @Test("the result is a value or one NetworkError, without secrets or requests outside the base", arguments: seeds)
    func anything(seed: UInt64) async throws {
        var random = Scrambler(seed: seed)
        let written = Locked<[String]>([])
        let lastResort = LastResort { line in written.withLock { $0.append(line) } }
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
        bus.finish()
        var kinds: [NetworkError.Kind?: Int] = [:]
        for _ in 0..<(Self.count / Self.seeds.count) {
            let trial = Trial(using: &random)
            let script = Script { _, number in try trial.end(of: number) }
            let client = trial.client(script, bus)
            let error = await trial.outcome(client)
            kinds[error?.kind, default: 0] += 1
            for request in script.requests { trial.check(request) }
            guard let error else { continue }
            #expect(trial.mayBeRepeated || error.mayBeSentAgain || error.retryDecision == .fail, "\(trial)")
            #expect(trial.mayBeRepeated || script.requests.count <= trial.mostSendings, "\(trial): \(error)")
            bus.post(error)
            var dumped = ""
            dump(error, to: &dumped)
            let texts = [dumped, "\(error)", error.localizedDescription, "\(client)"]
            for text in texts + written.withLock({ lines in lines.removeAllAndReturn() }) {
                #expect(!text.contains(Scrambler.secret), "\(trial): \(text)")
                #expect(!text.utf8.contains(0) && !text.contains("\r"), "\(trial)")
            }
        }
        // Check that the requests end in different ways.
        #expect(kinds.count >= 10, "\(kinds)")
    }
}

/// A source of values that are often hostile and often contain a secret.
private struct Scrambler {
    static let secret = "hunter2"
    private static let words = [
        secret, "users", "17", "..", ".", "%2e%2e", "%2f", "%5c", "/", "//", "\\", "?", "#", "%", "%00", "\u{0}",
        "\r\n",
        "\n", " ", "\t", ":", ";", "@", "é", "日本", "\u{202E}", "\u{1F600}", "%ff", "http:", "X-Key", "POST", "+", "&",
        "=", "", "\"", "{", "}", "[", "]", "null", "1e999", "-1", "9223372036854775808",
    ]
    private static let names = [
        "Authorization", "Accept", "Content-Type", "Retry-After", "Date", "Idempotency-Key", "Location", "X-Key", "",
        "x y", "Cookie\r\nX", "Content-Length",
    ]
    private static let values = [
        "application/json", "text/html; charset=\(secret)", "*/*", secret, "application/problem+json", "120", "-1",
        "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "99999999999999999999", "",
        "/elsewhere", "https://elsewhere.example/x", "https://u:\(secret)@elsewhere.example/", "..", "file:///etc",
    ]
    private static let bodies = [
        #"{"name": "\#(secret)"}"#, #"{"name": 1}"#, #"{"\#(secret)": {"\#(secret)": "\#(secret)"}}"#, "{}", "", secret,
        #"{"type": "https://\#(secret)@h/?\#(secret)", "title": "\#(secret)", "status": 1e40}"#, "[1, 2", "null",
        #"{"a": {"\#(secret)": [{"name": null}]}}"#, #"[{"name": "x"}, {"name": ["\#(secret)"]}]"#,
    ]

    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &generator) == 0 }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func one<T>(of values: [T]) -> T { values[number(0...(values.count - 1))] }

    mutating func text() -> String { (0..<number(0...6)).map { _ in one(of: Self.words) }.joined() }

    /// Returns fields with few faults: if there were two or more, only the first would be tested.
    mutating func fields() -> HTTPHeaders {
        HTTPHeaders(
            (0..<number(0...3)).map { _ in
                let name =
                    chance(12)
                    ? text().replacing(Self.secret, with: "x") : one(of: Self.names.dropLast(chance(4) ? 0 : 4))
                return (name, chance(12) ? text() : one(of: Self.values))
            })
    }

    /// Returns a path without a secret, because descriptions can contain the method and the path.
    mutating func path() -> String { chance(2) ? "users/17" : text().replacing(Self.secret, with: "x") }

    mutating func method() -> HTTPMethod {
        let names = ["GET", "POST", "PUT", "PATCH", "HEAD", "get"]
        return HTTPMethod(rawValue: chance(10) ? text().replacing(Self.secret, with: "X") : one(of: names))
    }

    mutating func body() -> Data {
        if chance(8) { return Data((0..<number(0...40)).map { _ in UInt8(number(0...255)) }) }
        let body = one(of: Self.bodies)
        return Data((chance(6) ? String(body.prefix(number(0...30))) : body).utf8)
    }
}

/// One request, and the server's behavior.
private struct Trial: CustomStringConvertible {
    private enum End {
        case response(TransportResponse)
        case failure(any Error)
    }

    private let call: Call<JSONValue>
    private let requestsUsers: Bool
    private let ends: [End]
    private let token: String?
    private let retries: Bool
    private let hasServiceError: Bool
    private let base: URL

    init(using random: inout Scrambler) {
        var call = Call(JSONValue.self, method: random.method(), headers: random.fields())
        call.path = random.path()
        call.query = random.chance(2) ? [] : [URLQueryItem(name: random.text(), value: random.text())]
        if random.chance(3) {
            call.body = random.chance(4) ? [Scrambler.secret: [Double.nan]] : [Scrambler.secret: [1.0]]
        }
        self.call = call
        requestsUsers = random.chance(2)
        ends = (0..<random.number(1...4)).map { _ in Self.end(using: &random) }
        token = random.chance(3) ? (random.chance(8) ? random.text() : Scrambler.secret) : nil
        retries = random.chance(2)
        hasServiceError = random.chance(3)
        let bases = [
            "https://u:hunter2@example.org/v1?key=hunter2#hunter2", "HTTP://example.org", "ftp://hunter2@h", "x",
        ]
        base =
            URL(string: random.chance(20) ? bases[random.number(2...3)] : bases[random.number(0...1)])
            ?? URL(filePath: "/")
    }

    private static func end(using random: inout Scrambler) -> End {
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: URL(string: "https://hunter2@h/?hunter2") as Any,
            NSLocalizedDescriptionKey: "no response from https://hunter2@h/?hunter2",
            NSUnderlyingErrorKey: NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "hunter2"]),
        ]
        switch random.number(0...9) {
        case 0: return .failure(NSError(domain: NSURLErrorDomain, code: -random.number(990...1210), userInfo: info))
        case 1: return .failure(random.chance(2) ? CancellationError() : GitHubError(code: 1))
        case 2:
            let context = DecodingError.Context(codingPath: [], debugDescription: Scrambler.secret)
            return .failure(random.chance(2) ? DecodingError.dataCorrupted(context) : NetworkError(.noData))
        default:
            let status =
                random.chance(2) ? random.one(of: [200, 401, 403, 429, 503, 204, 0, -1, .max, 302, 303, 307]) : 200
            return .response(TransportResponse(status: status, headers: random.fields(), body: random.body()))
        }
    }

    func end(of number: Int) throws -> TransportResponse {
        switch ends[number % ends.count] {
        case .response(let response): return response
        case .failure(let error): throw error
        }
    }

    func client(_ script: Script, _ bus: ErrorBus) -> APIClient {
        var policy = RetryPolicy.default.retrying(NetworkError.self)
        policy.backoff = .constant(.zero)
        policy.maxRetryAfter = .zero
        let token: BearerToken? = token.map { text in BearerToken(text) { throw URLError(.timedOut) } }
        let hasServiceError = hasServiceError
        return APIClient(base: base, transport: script, retry: retries ? policy : nil, errors: bus, token: token) {
            hasServiceError ? try? JSONDecoder().decode(Service.self, from: $0.body) : nil
        }
    }

    private struct Service: Error, Decodable {
        private enum Key: CodingKey { case name }
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .name)
        }
    }

    func outcome(_ client: APIClient) async -> NetworkError? {
        do throws(NetworkError) {
            if requestsUsers {
                var users = Call(
                    [String: [String: User]].self, method: call.method, headers: call.headers, body: call.body)
                (users.path, users.query) = (call.path, call.query)
                _ = try await client.send(users)
            } else {
                _ = try await client.send(call)
            }
            return nil
        } catch {
            return error
        }
    }

    private var hasRedirect: Bool {
        ends.contains { end in
            guard case .response(let response) = end else { return false }
            return response.status / 100 == 3
        }
    }

    /// Whether a secret is in a field that other servers may receive.
    private var hasPublicSecret: Bool {
        ["Accept", "Content-Type", "Idempotency-Key"].contains { call.headers[$0]?.contains(Scrambler.secret) == true }
    }

    var mayBeRepeated: Bool { TransportRequest(method: call.method, url: base, headers: call.headers).isIdempotent }

    /// The maximum number of requests: another follows only a 429, an error before sending, or a redirect.
    var mostSendings: Int {
        func isFollowed(_ end: End) -> Bool {
            switch end {
            case .response(let response): return response.status == 429
            case .failure(let error): return NetworkError.from(error).neverReachedServer
            }
        }
        let isSafe = ends.contains(where: isFollowed)
        return hasRedirect ? 63 : isSafe && retries ? 3 : 1
    }

    func check(_ request: TransportRequest) {
        if hasRedirect, request.url.host() != base.host() {
            let hasSecret = request.headers.fields.contains { $0.value.contains(Scrambler.secret) }
            #expect(!hasSecret || hasPublicSecret, "\(self)")
            return
        }
        #expect(request.url.scheme == base.scheme?.lowercased() && request.url.host() == base.host(), "\(self)")
        if hasRedirect { return }
        let path = request.url.path(percentEncoded: false)
        #expect(path.hasPrefix(base.path()) && !path.split(separator: "/").contains(".."), "\(self)")
        for field in request.headers.fields {
            #expect(!(field.name + field.value).utf8.contains { [0, 10, 13].contains($0) }, "\(self)")
        }
        #expect(!request.method.rawValue.utf8.contains { $0 <= 32 }, "\(self)")
    }

    var description: String {
        "\(call.method.rawValue.debugDescription) \(call.path.debugDescription) \(call.headers.fields)"
    }
}

extension Array {
    fileprivate mutating func removeAllAndReturn() -> Self {
        defer { removeAll() }
        return self
    }
}
