import ErrorRecovery
import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H5: a client turns each result into a value or one NetworkError", .tags(.http5, .http7), .hangLimit)
struct ClientTests {}

extension ClientTests {
    private func outcome<R: Decodable & Sendable>(
        of response: TransportResponse,
        _ type: R.Type,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:]
    ) async throws -> Result<R, NetworkError> {
        let client = try APIClient(Script { _, _ in response })
        do throws(NetworkError) {
            return .success(try await client.send(Call(type, method: method, headers: headers)))
        } catch {
            return .failure(error)
        }
    }

    private func kind<R: Decodable & Sendable>(
        of response: TransportResponse,
        _ type: R.Type,
        method: HTTPMethod = .get,
        headers: HTTPHeaders = [:]
    ) async throws -> NetworkError.Kind? {
        switch try await outcome(of: response, type, method: method, headers: headers) {
        case .success: nil
        case .failure(let error): error.kind
        }
    }

    @Test("a request is sent with the values of its members and with header fields for JSON")
    func request() async throws {
        let script = Script { _, _ in .json(#"{"name": "Ada"}"#) }
        let client = try APIClient(script)
        var call = Call(User.self, method: .post, headers: ["X-A": "1"], body: User(name: "Ada"))
        call.path = "/users/a b?c#d"
        call.query = [URLQueryItem(name: "q+1", value: "1+1&2=é"), URLQueryItem(name: "flag", value: nil)]
        call.timeout = .seconds(3)
        expect(try await client.send(call), equals: User(name: "Ada"))
        let sent = try #require(script.requests.first)
        expect(
            sent.url.absoluteString, equals: "https://example.org/v1/users/a%20b%3Fc%23d?q%2B1=1%2B1%262%3D%C3%A9&flag")
        expect(sent.method, equals: .post)
        expect(sent.timeout, equals: .seconds(3))
        expect(sent.headers, equals: ["X-A": "1", "Accept": "application/json", "Content-Type": "application/json"])
        expect(sent.body.map { String(decoding: $0, as: UTF8.self) }, equals: #"{"name":"Ada"}"#)
        _ = try await client.send(Call(User.self))
        expect(script.requests.last?.headers, equals: ["Accept": "application/json"])
        expectNil(script.requests.last?.body)
    }

    @Test("response(for:) also returns the status and the header fields, and a body of bytes is sent unchanged")
    func bytesAndHeaders() async throws {
        let script = Script { _, _ in .json(#"{"name": "Ada"}"#, status: 201, headers: ["Location": "/users/18"]) }
        let client = try APIClient(script)
        let body = BodyBytes(Data([0, 255, 7]), contentType: "image/png")
        let (user, status, headers) = try await client.response(for: Call(User.self, method: .post, body: body))
        expect(user, equals: User(name: "Ada"))
        expect(status, equals: 201)
        expect(headers["location"], equals: "/users/18")
        expect(script.requests.first?.body, equals: Data([0, 255, 7]))
        expect(script.requests.first?.headers["Content-Type"], equals: "image/png")
        _ = try await client.send(
            Call(NoContent.self, method: .put, headers: ["Content-Type": "image/x-png"], body: body))
        expect(script.requests.last?.headers["Content-Type"], equals: "image/x-png")
        expect("\(body)", equals: "BodyBytes")
        let wrong = BodyBytes(Data(), contentType: "image/png\r\nX-Admin: yes")
        let error = await #expect(throws: NetworkError.self) {
            try await client.send(Call(NoContent.self, method: .post, body: wrong))
        }
        expect(error?.kind, equals: .encoding)
        expect(script.requests.count, equals: 2)
    }

    @Test("a response with an invalid status counts as invalid, from any transport, and the request isn't retried")
    func statuses() async throws {
        for status in [Int.min, -1, 0, 99, 600, 1_000, 100_000, .max] {
            let script = Script { _, _ in .json("{}", status: status) }
            let error = await #expect(throws: NetworkError.self) {
                try await APIClient(script, retry: .default).send(Call(NoContent.self))
            }
            expect(error?.kind, equals: .invalidResponse)
            expect(error?.neverReachedServer, equals: false)
            expect(script.requests.count, equals: 1)
        }
    }

    @Test("an invalid base causes invalidURL, an unencodable body causes an encoding error, and neither is sent")
    func invalidURL() async throws {
        let script = Script { _, _ in .json("{}") }
        // The description doesn't contain the query.
        for base in ["ftp://h/a?b", "h", "https:///x?y=z"] {
            let client = APIClient(base: try #require(URL(string: base)), transport: script)
            let error = await #expect(throws: NetworkError.self) { try await client.send(Call(User.self)) }
            expect(error?.kind, equals: .invalidURL, "\(base)")
            expect(error?.detail?.contains("?"), equals: false, "\(base)")
        }
        let call = Call(User.self, method: .post, body: [Double.nan])
        let error = await #expect(throws: NetworkError.self) { try await APIClient(script).send(call) }
        expect(error?.kind, equals: .encoding)
        expect(error?.neverReachedServer, equals: true)
        #expect(script.requests.isEmpty)
    }

    @Test("HEAD, 204, 205, and an empty body satisfy NoContent, and cause noData for every other response type")
    func noContent() async throws {
        let page = TransportResponse(status: 200, headers: ["Content-Type": "text/html"], body: Data("<p>".utf8))
        let user = TransportResponse.json(#"{"name": "Ada"}"#)
        let empty = [204, 205, 200].map { TransportResponse(status: $0) }
        for (response, method) in (empty + [page]).map({ ($0, HTTPMethod.get) }) + [(user, .head)] {
            expectNil(try await kind(of: response, NoContent.self, method: method))
        }
        let without = empty + [.json(#"{"name": "Ada"}"#, status: 204)]
        for (response, method) in without.map({ ($0, HTTPMethod.get) }) + [(user, .head)] {
            expect(try await kind(of: response, User.self, method: method), equals: .noData)
        }
    }

    @Test("an unexpected content type has its own error, and a requested content type isn't an error")
    func contentType() async throws {
        var response = TransportResponse.json(#"{"name": "Ada"}"#)
        for type in ["application/json; charset=utf-8", "application/hal+json"] {
            response.headers["Content-Type"] = type
            expectNil(try await kind(of: response, User.self))
        }
        response.headers["Content-Type"] = nil
        expectNil(try await kind(of: response, User.self))
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        expectNil(try await kind(of: response, User.self, headers: ["Accept": "text/html"]))
        let outcome = try await outcome(of: response, User.self)
        let error = #expect(throws: NetworkError.self) { try outcome.get() }
        expect(error?.kind, equals: .unexpectedContentType)
        expect(error?.detail, equals: "text/html")
    }

    @Test("an error about malformed JSON has its coding path, whatever the shape of the body")
    func decoding() async throws {
        for (body, path) in [(#"{"name": 1}"#, ["name"]), ("{}", []), ("<html>", []), ("[1]", []), ("\u{0}", [])] {
            let outcome = try await outcome(of: .json(body), User.self)
            let error = #expect(throws: NetworkError.self) { try outcome.get() }
            expect(error?.kind, equals: .decoding)
            switch try #require(error?.cause as? DecodingError) {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                expect(context.codingPath.map(\.stringValue), equals: path)
            @unknown default: break
            }
        }
    }

    @Test("a service's own error takes precedence over the status, even 200, but not over a 401 that refreshes a token")
    func serviceError() async throws {
        for status in [400, 401, 403, 404, 408, 422, 500, 504] {
            let script = Script { _, _ in .json(#"{"code": 7}"#, status: status) }
            let service: @Sendable (HTTPFailure) -> (any Error)? = {
                $0.status == 422 ? nil : GitHubError(code: $0.status)
            }
            let error = await #expect(throws: NetworkError.self) {
                try await APIClient(script, serviceError: service).send(Call(User.self))
            }
            expect(error?.kind, equals: (status == 422 ? .http : .service))
            expect(error?.service(as: GitHubError.self)?.code, equals: (status == 422 ? nil : status))
            let withToken = await #expect(throws: NetworkError.self) {
                try await APIClient(script, token: BearerToken("a") { "b" }, serviceError: service).send(
                    Call(User.self))
            }
            expect(withToken?.kind, equals: (status == 401 ? .unauthorized : status == 422 ? .http : .service))
        }
        struct Search: APIRequest {
            struct Response: Decodable { var error: Int? }
            var path: String { "" }
            func rejection(of response: Response) -> (any Error)? { response.error.map { GitHubError(code: $0) } }
        }
        let client = try APIClient(Script { _, number in .json(number == 0 ? "{}" : #"{"error": 7}"#) })
        expectNil(try await client.send(Search()).error)
        let rejection = await #expect(throws: NetworkError.self) { try await client.send(Search()) }
        expect(rejection?.service(as: GitHubError.self)?.code, equals: 7)
        expect(rejection?.failure?.status, equals: 200)
    }

    @Test("H7: a cancelled task throws cancelled, and nothing is sent")
    func cancelled() async throws {
        let script = Script { _, _ in .json("{}") }
        let client = try APIClient(script, retry: .default)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await client.send(Call(User.self))
        }
        let error = await #expect(throws: NetworkError.self) { try await task.value }
        expect(error?.isCancellation, equals: true)
        #expect(script.requests.isEmpty)
    }

    @Test("the preset's rules match their kinds, and an action that is nil adds no rule")
    func preset() async {
        let seen = Locked<[String]>([])
        let handler = ErrorHandler.networking(
            onUnauthorized: { _ in
                seen.withLock { $0.append("unauthorized") }
                return .stop
            },
            onServerError: { _ in
                seen.withLock { $0.append("server") }
                return .next
            })
        for error in NetworkError.samples { await handler.handle(error) }
        expect(seen.withLock { $0 }, equals: ["unauthorized", "server"])
        let modules = handler.explain(NetworkError(.cancelled)).entries.map(\.rule.source.module)
        expect(modules, equals: ["HTTPErrorsTests", "HTTPErrorsTests"])
    }
}
