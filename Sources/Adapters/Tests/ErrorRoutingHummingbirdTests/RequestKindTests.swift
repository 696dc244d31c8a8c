import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingTesting
import Hummingbird
import HummingbirdRouter
import HummingbirdTesting
import Testing

@Suite("A request's kind is its method and its route", .failsOnUnexpectedErrors, .timeLimit(.minutes(2)))
struct RequestKindTests {
    private struct Sold: Error {}

    private struct Failing: RouterMiddleware {
        typealias Context = BasicRequestContext

        func handle(
            _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            throw Sold()
        }
    }
}

extension RequestKindTests {
    /// Returns the reports of requests to a service without routes, in which every request fails.
    private func reports(
        _ middleware: ErrorReportingMiddleware<BasicRequestContext>, _ paths: [String],
        method: HTTPRequest.Method = .get
    ) async throws -> [ErrorReport] {
        let router = Router()
        router.addMiddleware {
            middleware
            Failing()
        }
        return try await withRecordedErrors { _ in
            try await Application(responder: router.buildResponder()).test(.router) { client in
                for path in paths { _ = try await client.execute(uri: path, method: method) }
            }
        }.reports
    }

    @Test func `the method with the route is in the scope, the source, and a flood limit's kinds`() async throws {
        let methods: [HTTPRequest.Method] = [.get, .post, .delete]
        let router = Router()
        router.addMiddleware { ErrorReportingMiddleware() }
        for method in methods { router.on("todos/:id", method: method) { _, _ -> String in throw Sold() } }
        // One error of each kind is delivered. Later errors are merged into one report at the window's end.
        let configuration = ErrorBus.Configuration(floodLimit: FloodLimit(first: 1, per: .seconds(600)))
        let recorded = try await withRecordedErrors(configuration: configuration) { _ in
            try await Application(responder: router.buildResponder()).test(.router) { client in
                for method in methods + methods {
                    _ = try await client.execute(uri: "/todos/7", method: method)
                }
            }
        }
        let kinds = ["GET /todos/{id}", "POST /todos/{id}", "DELETE /todos/{id}"]
        #expect(Set(recorded.reports.map(\.scope)) == Set(kinds.map { [$0] }))
        #expect(
            Set(recorded.reports.map(\.source.fileID)) == Set(kinds.map { "ErrorRoutingHummingbirdTests/\($0)" }))
        #expect(recorded.reports.count == 6 && recorded.reports.allSatisfy { $0.occurrences == 1 })
        #expect(recorded.reports.allSatisfy { $0.metadata["http.route"] == "/todos/{id}" })
    }

    @Test func `a closure provides the kind of a request without a route, and the method is added`() async throws {
        let middleware = ErrorReportingMiddleware<BasicRequestContext> { $0.uri.path == "/search" ? "search" : "rest" }
        let found = try await reports(middleware, ["/search?q=1", "/a", "/b"])
        #expect(found.map(\.scope) == [["GET search"], ["GET rest"], ["GET rest"]])
        #expect(found.first?.metadata["http.route"] == nil)
    }

    @Test func `with a router builder, which finds the route later, the route is the report's source`() async throws {
        let router = RouterBuilder(context: BasicRouterRequestContext.self) {
            ErrorReportingMiddleware()
            RouteGroup("todos") {
                Get(":id") { _, _ -> String in throw Sold() }
                Post { _, _ -> String in throw Sold() }
            }
        }
        let recorded = try await withRecordedErrors { _ in
            try await Application(router: router).test(.router) { client in
                _ = try await client.execute(uri: "/todos/7", method: .get)
                _ = try await client.execute(uri: "/todos", method: .post)
                _ = try await client.execute(uri: "/nowhere", method: .post)
            }
        }
        let routes = ["GET /todos/{id}", "POST /todos"]
        #expect(recorded.reports.map(\.source.fileID) == routes.map { "ErrorRoutingHummingbirdTests/\($0)" })
        #expect(recorded.reports.map { $0.metadata["http.route"] } == ["/todos/{id}", "/todos"])
        #expect(Set(recorded.reports.map(\.scope)) == [["no route"]])
    }

    @Test func `all paths that no route matches have one kind, whatever strangers send`() async throws {
        let paths = (0..<800).map { "/\($0)/wp-admin" }
        #expect(Set(try await reports(.init(), paths).map(\.scope)) == [["no route"]])
    }

    @Test func `kinds are bounded in number and length, and so is an unknown method`() async throws {
        let middleware = ErrorReportingMiddleware<BasicRequestContext>(kindLimit: 3) { $0.uri.path }
        let paths = (0..<800).map { "/\($0)" }
        let found = try await reports(middleware, paths + ["/1"])
        #expect(Set(found.map(\.scope)) == [["GET /0"], ["GET /1"], ["GET /2"], ["GET other"]])
        #expect(found.last?.scope == ["GET /1"] && found.count == 801)
        let long = "/" + String(repeating: "ü", count: 500)
        let unknown = try await reports(
            .init { $0.uri.path }, [long], method: try #require(.init(rawValue: "STRANGE")))
        let scope = try #require(unknown.first?.scope.first)
        #expect(scope.hasPrefix("_OTHER /") && scope.hasSuffix("…") && scope.utf8.count <= 270)
    }
}
