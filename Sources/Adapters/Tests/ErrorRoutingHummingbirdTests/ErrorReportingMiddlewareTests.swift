import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingAsyncHTTPClient
import ErrorRoutingHummingbird
import ErrorRoutingTesting
import Foundation
import HTTPErrors
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOSSL
import ServiceLifecycleTestKit
import Testing

@Suite("A request's errors are answered and reported once", .failsOnUnexpectedErrors)
struct ErrorReportingMiddlewareTests {
    private struct Sold: Error {}

    private let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
        .on(Sold.self, ProblemDetails(title: "Sold", status: 409))

    private var app: some ApplicationProtocol {
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware(problems) }
        router.get("sales/:id") { _, _ -> String in throw Sold() }
        router.get("upstream") { _, _ -> String in try await upstream { throw ChannelError.eof } }
        router.get("within") { _, _ -> String in try await upstream { throw Sold() } }
        router.get("stalled") { _, _ in
            let parts = AsyncStream<ByteBuffer> { $0.yield(ByteBuffer(string: "a")) }
            let body = upstream(parts, idleTimeout: .milliseconds(1))
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

    @Test func `an error is answered as the map specifies and reported once, with its route and path`() async throws {
        let (response, reports) = try await report("/sales/7?token=secret")
        #expect(response?.status == .conflict)
        #expect(response?.headers[.contentType] == "application/problem+json")
        let report = try #require(reports.first)
        #expect(reports.count == 1 && report.error is Sold && report.scope == ["GET /sales/{id}"])
        #expect(report.metadata["url.path"] == "/sales/7" && report.metadata["http.route"] == "/sales/{id}")
        #expect(report.metadata["hb.request.id"] != nil && report.metadata["http.request.method"] == "GET")
    }

    private enum Stock: Error { case empty, unknown }

    /// Returns the reports of requests to several paths of a router.
    private func reports(
        _ paths: [String], _ addRoutes: (Router<BasicRequestContext>) -> Void
    ) async throws -> [ErrorReport] {
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware(problems) }
        addRoutes(router)
        return try await withRecordedErrors { _ in
            try await Application(responder: router.buildResponder()).test(.router) { client in
                for path in paths { _ = try await client.execute(uri: path, method: .get) }
            }
        }.reports
    }

    @Test func `errors are distinguished by route, type, and code, and upstream errors by the line of the call`()
        async throws
    {
        let reports = try await reports(["/a/1", "/a/2", "/b", "/c", "/d"]) { router in
            router.get("a/:id") { _, _ -> String in throw Stock.empty }
            router.get("b") { _, _ -> String in throw Stock.empty }
            router.get("c") { _, _ -> String in throw Stock.unknown }
            router.get("d") { _, _ -> String in try await upstream { throw ChannelError.eof } }
        }
        let line = #line - 2
        let module = "ErrorRoutingHummingbirdTests"
        let type = "\(module).ErrorReportingMiddlewareTests.Stock"
        let file = "ErrorRoutingHummingbirdTests/ErrorReportingMiddlewareTests.swift"
        #expect(
            reports.map(\.fingerprint) == [
                "\(type).empty \(module)/GET /a/{id}", "\(type).empty \(module)/GET /a/{id}",
                "\(type).empty \(module)/GET /b", "\(type).unknown \(module)/GET /c",
                "ErrorRoutingUpstream.UpstreamError.connection \(file)",
            ])
        #expect(reports.first?.source.module == module)
        #expect(reports.last?.source == ErrorReport.Source(fileID: file, line: UInt(line)))
    }

    @Test func `metadata that a route adds to its scope is in the report of its error`() async throws {
        let reports = try await reports(["/orders/7"]) { router in
            router.get("orders/:id") { _, context -> String in
                ErrorScope.current?.annotate("order", with: try context.parameters.require("id"))
                throw Sold()
            }
        }
        #expect(reports.map { $0.metadata["order"] } == ["7"])
    }

    @Test func `a path is truncated at its limit, even within a character`() async throws {
        let (_, reports) = try await report("/sales/" + String(repeating: "ü", count: 500))
        let path = try #require(reports.first?.metadata["url.path"])
        #expect(path.utf8.count <= 260 && path.hasPrefix("/sales/") && path.hasSuffix("…"))
    }

    @Test func `an upstream failure is a gateway failure, distinguished by its kind`() async throws {
        let (response, reports) = try await report("/upstream")
        #expect(response?.status == .badGateway)
        #expect(reports.count == 1 && reports.first?.kindName == "connection")
        #expect(reports.first?.fingerprint.hasPrefix("ErrorRoutingUpstream.UpstreamError.connection ") == true)
    }

    @Test func `an error that isn't from the HTTP client stays unchanged`() async throws {
        let (response, reports) = try await report("/within")
        #expect(response?.status == .conflict && reports.count == 1 && reports.first?.error is Sold)
    }

    @Test func `a client that was shut down causes an error about that, not about the upstream`() async throws {
        let client = HTTPClient()
        try await client.shutdown()
        let request = HTTPClientRequest(url: "http://127.0.0.1:1/")
        let transport = AsyncHTTPClientHTTPTransport(client)
        let errors = [
            await #expect(throws: UpstreamError.self) {
                _ = try await upstream { try await client.execute(request, timeout: .seconds(60)) }
            },
            await #expect(throws: UpstreamError.self) {
                let url = try #require(URL(string: request.url))
                _ = try await upstream { try await transport.send(TransportRequest(url: url)) }
            },
        ]
        for error in errors {
            #expect(error.map { ErrorReport(error: $0, source: .init()).message } == "the client was shut down")
            #expect(error.flatMap { ErrorReport(error: $0, source: .init()).kindName } == "connection")
        }
        let sent = errors.last??.underlyingErrors.first as? NetworkError
        #expect(sent?.description.hasSuffix(", the client was shut down") == true && sent?.neverReachedServer == true)
    }

    /// A client error of a type that is unknown to the adapters.
    private struct Deadlock: UpstreamFailure {}

    /// An error with a name that looks like the name of a SwiftNIO error.
    private struct NIOLookalike: Error {}

    @Test func `types decide whether an error is an upstream error, and whether it is a timeout`() async throws {
        func kind(of error: any Error) async -> String {
            do { return try await upstream { throw error } } catch {
                guard let error = error as? UpstreamError else { return "unchanged" }
                return ErrorReport(error: error, source: .init()).kindName ?? ""
            }
        }
        let timeouts: [any Error] = [
            HTTPClientError.readTimeout, HTTPClientError.deadlineExceeded, HTTPClientError.connectTimeout,
            HTTPClientError.getConnectionFromPoolTimeout, ChannelError.connectTimeout(.seconds(1)),
            NetworkError(.timeout), URLError(.timedOut), IOError(errnoCode: ETIMEDOUT, reason: "connect"),
        ]
        for error in timeouts { #expect(await kind(of: error) == "timeout", "\(error)") }
        let failures: [any Error] = [
            HTTPClientError.remoteConnectionClosed, HTTPClientError.cancelled, ChannelError.eof,
            NetworkError(.connection), URLError(.cannotFindHost), IOError(errnoCode: ECONNRESET, reason: "timeout"),
            NIOSSLError.uncleanShutdown, Deadlock(),
        ]
        for error in failures { #expect(await kind(of: error) == "connection", "\(error)") }
        for error in [Sold(), NIOLookalike(), CancellationError()] as [any Error] {
            #expect(await kind(of: error) == "unchanged", "\(error)")
        }
    }

    @Test func `the errors of clients that are structs have their codes as kinds`() {
        let kinds: [(error: any Error, kind: String)] = [
            (HTTPClientError.remoteConnectionClosed, "remoteConnectionClosed"),
            (HTTPClientError.unsupportedScheme("ftp.x"), "unsupportedScheme"),
            (IOError(errnoCode: ECONNRESET, reason: "read"), "errno-\(ECONNRESET)"),
            (NIOSSLExtraError.failedToValidateHostname, "failedToValidateHostname"),
            (NetworkError(.timeout), "timeout"),
        ]
        for (error, kind) in kinds {
            let report = ErrorReport(error: error, source: .init(fileID: "Shop/Pay.swift", line: 1))
            #expect(report.kindName == kind)
            #expect(report.fingerprint == "\(report.typeName).\(kind) Shop/Pay.swift")
        }
    }

    @Test func `an unknown method doesn't add a value to the dimension`() async throws {
        let method = try #require(HTTPRequest.Method("BREW"))
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware(problems) }
        router.on("pot", method: method) { _, _ -> String in throw Sold() }
        let recorded = try await withRecordedErrors { _ in
            try await Application(responder: router.buildResponder()).test(.router) { client in
                _ = try await client.execute(uri: "/pot", method: method)
            }
        }
        #expect(recorded.reports.map { $0.metadata["http.request.method"] } == ["_OTHER"])
    }

    @Test func `an inner middleware answers with its own map, and a broken body is reported once`() async throws {
        let router = Router()
        router.addMiddleware {
            ErrorReportingMiddleware()
            ErrorReportingMiddleware(problems)
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

    @Test func `a body that pauses for too long is truncated, and its error is a timeout`() async throws {
        let (_, reports) = try await report("/stalled")
        #expect(reports.count == 1 && reports.first?.kindName == "timeout")
        #expect(reports.first?.message == "the upstream took too long")
    }

    @Test func `a cancelled request causes a notice, whatever it throws, and needs no rule`() async throws {
        let recorded = await withRecordedErrors { bus in
            let router = Router()
            router.addMiddleware { ErrorReportingMiddleware(problems) }
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

    @Test func `a cancellation is a failure, but during a shutdown it only ends the request`() async throws {
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware(problems) }
        router.get("counts") { _, _ -> String in throw CancellationError() }
        let responder = router.buildResponder()
        for isEnding in [false, true] {
            let recorded = try await withRecordedErrors { _ in
                try await testGracefulShutdown { @Sendable trigger in
                    if isEnding { trigger.triggerGracefulShutdown() }
                    try await Application(responder: responder).test(.router) { client in
                        let response = try await client.execute(uri: "/counts", method: .get)
                        #expect(response.status == (isEnding ? .serviceUnavailable : .internalServerError))
                    }
                }
            }
            #expect(recorded.reports.map(\.role) == [isEnding ? .notice : .failure])
            #expect(recorded.reports.first?.error is RequestCancelled == isEnding)
            #expect(recorded.reports.first?.severity == (isEnding ? .notice : .error))
        }
    }
}
