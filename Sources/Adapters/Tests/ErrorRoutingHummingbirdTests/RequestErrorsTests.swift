import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingTesting
import HTTPErrors
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("A request's errors", .failsOnUnexpectedErrors)
struct RequestErrorsTests {
    private struct Sold: Error {}

    private let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
        .on(Sold.self, ProblemDetails(title: "Sold", status: 409))

    private var app: some ApplicationProtocol {
        let router = Router()
        router.addMiddleware { RequestErrors(problems) }
        router.get("sales/:id") { _, _ -> String in throw Sold() }
        router.get("upstream") { _, _ -> String in try await upstream { throw ChannelError.eof } }
        router.get("within") { _, _ -> String in try await upstream { throw Sold() } }
        router.get("stalled") { _, _ in
            let body = upstream(AsyncStream<ByteBuffer> { $0.yield(ByteBuffer(string: "a")) }, pauses: .milliseconds(1))
            return Response(status: .ok, body: ResponseBody(asyncSequence: body))
        }
        return Application(responder: router.buildResponder())
    }

    private func report(_ path: String) async throws -> (TestResponse?, [ErrorReport]) {
        var response: TestResponse?
        let recorded = try await withRecordedErrors { _ in
            response = try await app.test(.router) { try? await $0.execute(uri: path, method: .get) }
        }
        return (response, recorded.reports)
    }

    @Test func `an error is answered as the map says, and reported once, with the route and the path`() async throws {
        let (response, reports) = try await report("/sales/7?token=secret")
        #expect(response?.status == .conflict)
        #expect(response?.headers[.contentType] == "application/problem+json")
        let report = try #require(reports.first)
        #expect(reports.count == 1 && report.error is Sold && report.scope == ["/sales/{id}"])
        #expect(report.metadata["url.path"] == "/sales/7" && report.metadata["http.route"] == "/sales/{id}")
        #expect(report.metadata["hb.request.id"] != nil && report.metadata["http.request.method"] == "GET")
    }

    @Test func `a path is bounded, also within a character`() async throws {
        let (_, reports) = try await report("/sales/" + String(repeating: "ü", count: 500))
        let path = try #require(reports.first?.metadata["url.path"])
        #expect(path.utf8.count <= 260 && path.hasPrefix("/sales/") && path.hasSuffix("…"))
    }

    @Test func `what breaks upstream is a gateway's failure, told apart by what broke`() async throws {
        let (response, reports) = try await report("/upstream")
        #expect(response?.status == .badGateway)
        #expect(reports.count == 1 && reports.first?.caseName == "connection")
        #expect(reports.first?.fingerprint.hasPrefix("ErrorRoutingHummingbird.UpstreamBroke.connection ") == true)
    }

    @Test func `what is no error of the HTTP client stays what it is`() async throws {
        let (response, reports) = try await report("/within")
        #expect(response?.status == .conflict && reports.count == 1 && reports.first?.error is Sold)
    }

    @Test func `an unknown method is no value of its own`() async throws {
        let method = try #require(HTTPRequest.Method("BREW"))
        let router = Router()
        router.addMiddleware { RequestErrors(problems) }
        router.on("pot", method: method) { _, _ -> String in throw Sold() }
        let recorded = try await withRecordedErrors { _ in
            try await Application(responder: router.buildResponder()).test(.router) { client in
                _ = try await client.execute(uri: "/pot", method: method)
            }
        }
        #expect(recorded.reports.map { $0.metadata["http.request.method"] } == ["_OTHER"])
    }

    @Test func `one within another answers by its own map, and a body that breaks is reported once`() async throws {
        let router = Router()
        router.addMiddleware {
            RequestErrors()
            RequestErrors(problems)
        }
        router.get("sold") { _, _ -> String in throw Sold() }
        router.get("broken") { _, _ in Response(status: .ok, body: ResponseBody { _ in throw Sold() }) }
        for (path, status) in [("/sold", HTTPResponse.Status.conflict), ("/broken", nil)] {
            let recorded = try await withRecordedErrors { _ in
                try await Application(responder: router.buildResponder()).test(.router) { client in
                    let response = try? await client.execute(uri: path, method: .get)
                    #expect(response?.status == status)
                }
            }
            #expect(recorded.reports.count == 1 && recorded.reports.first?.error is Sold)
        }
    }

    @Test func `a body that pauses for too long is cut, and is a time-out`() async throws {
        let (_, reports) = try await report("/stalled")
        #expect(reports.count == 1 && reports.first?.caseName == "timeout")
        #expect(reports.first?.message == "the upstream took too long")
    }

    @Test func `a request without a route is of the kind that the closure says`() async throws {
        let router = Router()
        router.addMiddleware {
            RequestErrors(problems) { "/\($0.uri.path.split(separator: "/").first ?? "")" }
            Failing()
        }
        let recorded = try await withRecordedErrors { _ in
            try await Application(responder: router.buildResponder()).test(.router) { client in
                _ = try await client.execute(uri: "/search/all?q=1", method: .get)
            }
        }
        #expect(recorded.reports.map(\.scope) == [["/search"]])
        #expect(recorded.reports.first?.metadata["http.route"] == nil)
    }

    private struct Failing: RouterMiddleware {
        typealias Context = BasicRequestContext

        func handle(
            _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            throw Sold()
        }
    }

    @Test func `a cancelled request is a notice, whatever it throws, and needs no rule`() async throws {
        let recorded = await withRecordedErrors { bus in
            let router = Router()
            router.addMiddleware { RequestErrors(problems) }
            let isWaiting = Gate()
            router.get("deliveries") { _, _ -> String in
                isWaiting.open()
                try? await Task.sleep(for: .seconds(600))
                throw Sold()
            }
            try? await Application(responder: router.buildResponder()).test(.router) { client in
                let request = Task { try? await client.execute(uri: "/deliveries", method: .get) }
                await isWaiting.wait()
                request.cancel()
                let response = await request.value
                #expect(response == nil || response?.status == .serviceUnavailable)
            }
        }
        #expect(recorded.reports.count == 1 && recorded.reports.first?.role == .notice)
        #expect(recorded.reports.first?.error is RequestCancelled)
        #expect(recorded.reports.first?.outcome.disposition == .handled)
        #expect(recorded.reports.first?.trail.map(\.message) == ["Sold()"])
    }
}
