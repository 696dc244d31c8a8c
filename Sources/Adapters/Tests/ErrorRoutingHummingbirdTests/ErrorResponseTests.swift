import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingTesting
import Foundation
import HTTPErrors
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@Suite("The response to an error keeps its status and fields", .failsOnUnexpectedErrors, .timeLimit(.minutes(2)))
struct ErrorResponseTests {
    private struct Sold: Error {}

    /// An error whose own response can't be created.
    private struct Unencodable: HTTPResponseError {
        var status: HTTPResponse.Status { .conflict }

        func response(from _: Request, context _: some RequestContext) throws -> Response { throw Sold() }
    }

    private static let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
        .on(Sold.self, ProblemDetails(title: "Sold", status: 409))

    private typealias Route = @Sendable (Request, BasicRequestContext) async throws -> Response

    /// Requests a route of an application with an `ErrorReportingMiddleware` and other middlewares inside it.
    private func request(
        _ middleware: ErrorReportingMiddleware<BasicRequestContext>,
        within others: [CORSMiddleware<BasicRequestContext>] = [],
        headers: HTTPFields = [:],
        _ route: @escaping Route
    ) async throws -> (response: TestResponse, reports: [ErrorReport]) {
        let router = Router()
        router.add(middleware: middleware)
        for other in others { router.add(middleware: other) }
        router.get("a", use: route)
        var response: TestResponse?
        let recorded = try await withRecordedErrors { _ in
            response = try await Application(responder: router.buildResponder()).test(.router) {
                try await $0.execute(uri: "/a", method: .get, headers: headers)
            }
        }
        return (try #require(response), recorded.reports)
    }

    @Test func `an error that CORSMiddleware has wrapped is unwrapped, and the added fields stay`() async throws {
        let cors = CORSMiddleware<BasicRequestContext>(allowOrigin: .originBased)
        let errors: [any Error & Sendable] = [
            Sold(), CancellationError(), ClientDisconnected.left(Sold()), HTTPError(.notFound, message: "none"),
            HTTPError(.serviceUnavailable), UpstreamError.timeout(Sold(), .init(fileID: "Shop/A.swift", line: 7)),
            NetworkError(.timeout), Unencodable(),
        ]
        let added = ErrorMap<HTTPFields>(default: [.vary: "Accept"])
        let arrangements = [[cors], [cors, cors], [cors, CORSMiddleware(allowOrigin: .all)]]
        for error in errors {
            let plain = try await request(ErrorReportingMiddleware(Self.problems)) { _, _ in throw error }
            for others in arrangements {
                let middleware = ErrorReportingMiddleware<BasicRequestContext>(Self.problems, fields: added)
                let wrapped = try await request(
                    middleware, within: others, headers: [.origin: "https://shop.example"]
                ) { _, _ in throw error }
                #expect(wrapped.response.status == plain.response.status, "\(error)")
                #expect(wrapped.response.body == plain.response.body)
                #expect(wrapped.response.headers[.contentType] == plain.response.headers[.contentType])
                #expect(wrapped.response.headers[.contentLength] == plain.response.headers[.contentLength])
                #expect(wrapped.response.headers[values: .accessControlAllowOrigin] == ["https://shop.example"])
                #expect(wrapped.response.headers[values: .vary] == ["Accept", "Origin"])
                #expect(wrapped.reports.map(\.fingerprint) == plain.reports.map(\.fingerprint))
                #expect(wrapped.reports.map(\.source) == plain.reports.map(\.source))
                #expect(wrapped.reports.map(\.message) == plain.reports.map(\.message))
                #expect(wrapped.reports.map(\.outcome.disposition) == plain.reports.map(\.outcome.disposition))
            }
        }
    }

    @Test func `an error's own fields stay in a problem, and the map of fields adds others`() async throws {
        let own: HTTPFields = [
            .wwwAuthenticate: "Bearer", .retryAfter: "9", .contentSecurityPolicy: "default-src", .eTag: "1",
            .contentLanguage: "en", .contentRange: "bytes */9",
        ]
        let error = HTTPError(.unauthorized, headers: own, message: "No token")
        let problems = Self.problems.on(HTTPError.self) { ProblemDetails(status: $0.status.code) }
        let fields = ErrorMap<HTTPFields>(default: [:])
            .on(Sold.self) { _ in [.retryAfter: "60", .setCookie: "a", .contentType: "text/plain"] }
            .on(HTTPError.self, [.retryAfter: "60"])

        let kept = try await request(ErrorReportingMiddleware(problems)) { _, _ in throw error }
        #expect(kept.response.status == .unauthorized && kept.reports.count == 1)
        #expect(kept.response.headers[.contentType] == "application/problem+json")
        #expect(kept.response.headers[.contentLength] == "\(kept.response.body.readableBytes)")
        #expect(kept.response.headers[.wwwAuthenticate] == "Bearer" && kept.response.headers[.retryAfter] == "9")
        #expect(kept.response.headers[.contentSecurityPolicy] == "default-src")
        #expect(kept.response.headers[.contentRange] == "bytes */9")
        #expect(kept.response.headers[.eTag] == nil && kept.response.headers[.contentLanguage] == nil)

        for map in [problems, Self.problems] {
            let added = try await request(ErrorReportingMiddleware(map, fields: fields)) { _, _ in throw error }
            #expect(added.response.status == .unauthorized && added.response.headers[.retryAfter] == "60")
            #expect(added.response.headers[.wwwAuthenticate] == "Bearer")
        }
        let sold = try await request(ErrorReportingMiddleware(problems, fields: fields)) { _, _ in throw Sold() }
        #expect(sold.response.headers[values: .retryAfter] == ["60"] && sold.response.headers[.setCookie] == "a")
        #expect(sold.response.headers[.contentType] == "application/problem+json")
    }

    @Test func `with one option, Hummingbird's own errors are problems too, with their status and message`()
        async throws
    {
        let middleware = ErrorReportingMiddleware<BasicRequestContext>(Self.problems, allProblems: true)
        for (status, message) in [(HTTPResponse.Status.badRequest, "No item"), (.serviceUnavailable, nil)] {
            let headers: HTTPFields = [.wwwAuthenticate: "Bearer", .contentLanguage: "en"]
            let (response, reports) = try await request(middleware) { _, _ in
                throw HTTPError(status, headers: headers, message: message)
            }
            #expect(response.status == status && reports.count == (status.code < 500 ? 0 : 1))
            #expect(response.headers[values: .contentType] == ["application/problem+json"])
            #expect(response.headers[.contentLength] == "\(response.body.readableBytes)")
            #expect(response.headers[.wwwAuthenticate] == "Bearer" && response.headers[.contentLanguage] == nil)
            let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(response.body.readableBytesView))
            #expect(problem == ProblemDetails(title: status.reasonPhrase, status: status.code, detail: message))
        }
        for (code, phrase) in [(422, "Unprocessable Entity"), (499, nil)] as [(Int, String?)] {
            let (response, _) = try await request(middleware) { _, _ in throw HTTPError(.init(code: code)) }
            let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(response.body.readableBytesView))
            #expect(problem == ProblemDetails(title: phrase, status: code))
        }
        let (redirect, _) = try await request(middleware) { _, _ in
            throw HTTPError(.seeOther, headers: [.location: "/"])
        }
        #expect(redirect.status == .seeOther && redirect.headers[.contentType] == nil)
        let ((plain, _), (body, _)) = try await (
            request(ErrorReportingMiddleware(Self.problems)) { _, _ in throw HTTPError(.badRequest, message: "No item")
            },
            request(middleware) { request, context in
                _ = try await request.decode(as: [String].self, context: context)
                return Response(status: .ok)
            }
        )
        #expect(plain.headers[.contentType]?.hasPrefix("application/json") == true)
        #expect(body.status.code >= 400 && body.headers[.contentType] == "application/problem+json")
    }

    /// Sends two requests over one connection: the second response shows whether the first was read to its end.
    @Test func `a response that HTTP forbids a body is sent without one, so that the next isn't misread`() async throws
    {
        let router = Router(options: .autoGenerateHeadEndpoints)
        let problems = Self.problems.on(matching: .type(HTTPError.self).where { $0.status == .notFound }) {
            ProblemDetails(status: $0.status.code)
        }
        router.addMiddleware { ErrorReportingMiddleware(problems) }
        router.get("sold") { _, _ -> String in throw Sold() }
        router.head("none") { _, _ -> Response in throw Sold() }
        router.get("status/:code") { _, context -> String in
            throw HTTPError(.init(code: try context.parameters.require("code", as: Int.self)), message: "a body")
        }
        router.get("fine") { _, _ in "fine" }
        _ = try await withRecordedErrors { _ in
            try await Application(responder: router.buildResponder()).test(.live) { client in
                for (path, status) in [("sold", 409), ("none", 409), ("nowhere", 404), ("status/403", 403)] {
                    let head = try await client.execute(uri: "/\(path)", method: .head)
                    #expect(head.status.code == status && head.body.readableBytes == 0, "\(path)")
                    #expect(try await client.execute(uri: "/fine", method: .get).body == ByteBuffer(string: "fine"))
                    if path == "none" { continue }
                    let get = try await client.execute(uri: "/\(path)", method: .get)
                    #expect(get.status.code == status && get.body.readableBytes > 0)
                    #expect(head.headers[.contentLength] == "\(get.body.readableBytes)")
                    #expect(head.headers[.contentType] == get.headers[.contentType])
                }
                for code in [204, 205, 304] {
                    let response = try await client.execute(uri: "/status/\(code)", method: .get)
                    #expect(response.status.code == code && response.body.readableBytes == 0)
                    #expect(response.headers[.contentLength] == (code == 205 ? "0" : nil))
                    #expect(try await client.execute(uri: "/fine", method: .get).body == ByteBuffer(string: "fine"))
                }
            }
        }
    }

    private struct LambdaSource: RequestContextSource { let logger: Logger }

    /// A context with its own logger, like that of HummingbirdLambda.
    private struct LambdaContext: RequestContext {
        typealias Source = LambdaSource

        var coreContext: CoreRequestContextStorage

        init(source: Source) { coreContext = .init(source: source) }
    }

    @Test func `a request whose logger has no identifier is answered and reported without one`() async {
        await #expect(processExitsWith: .success) { try await Self.checkLoggersWithoutIdentifier() }
    }

    private static func checkLoggersWithoutIdentifier() async throws {
        let recorded = try await withRecordedErrors { _ in
            let router = Router()
            router.addMiddleware { ErrorReportingMiddleware(problems) }
            router.get("fine") { _, _ in "fine" }
            router.get("sold") { _, _ -> String in throw Sold() }
            let logger = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
            try await Application(responder: router.buildResponder(), logger: logger).test(.live) { client in
                let fine = try await client.execute(uri: "/fine", method: .get)
                let sold = try await client.execute(uri: "/sold", method: .get)
                #expect(fine.status == .ok && sold.status == .conflict)
            }

            let lambda = Router(context: LambdaContext.self)
            lambda.addMiddleware { ErrorReportingMiddleware(problems) }
            lambda.get("sold") { _, _ -> String in throw Sold() }
            let head = HTTPRequest(method: .get, scheme: "https", authority: "a", path: "/sold")
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            let context = LambdaContext(source: LambdaSource(logger: Logger(label: "lambda")))
            let response = try await lambda.buildResponder().respond(to: request, context: context)
            #expect(response.status == .conflict)
        }
        #expect(recorded.reports.count == 2)
        #expect(recorded.reports.allSatisfy { $0.metadata["hb.request.id"] == nil && $0.error is Sold })
    }
}
