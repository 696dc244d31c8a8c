import AsyncHTTPClient
import AsyncHTTPClientTransport
import ErrorRecovery
import ErrorRouting
import ErrorRoutingGRPC
import ErrorRoutingHummingbird
import ErrorRoutingLifecycle
import ErrorRoutingLogging
import ErrorRoutingMetrics
import ErrorRoutingTesting
import ErrorRoutingTracing
import Foundation
import GRPCCore
import GRPCInProcessTransport
import HTTPErrors
import Hummingbird
import HummingbirdTesting
import Logging
import ServiceLifecycle
import Testing

// The page's snippets, as they stand there, each with what it assumes around it.

struct OrderMissing: Error {}

struct Database: Service {
    init(path: String) throws {}

    func run() async throws {}
}

struct Observability: Service {
    func run() async throws {}
}

private let logger = Logger(label: "orders")
private let levels = ErrorMap<Logger.Level>(default: .error)
private let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
    .on(OrderMissing.self, ProblemDetails(title: "There is no such order", status: 404))

private func buildApplication() async throws -> some ApplicationProtocol {
    let router = Router()
    router.addMiddleware { RequestErrors(problems) }
    router.get("orders/:id") { _, _ -> String in throw OrderMissing() }
    return Application(responder: router.buildResponder())
}

private func first(_ application: some ApplicationProtocol) async throws {
    let rules = ErrorHandler().overlaid(
        with: .logging { _, report in
            logger.log(
                level: .init(rawValue: report.severity.rawValue) ?? .error, "\(report.message)",
                metadata: report.fields.mapValues { "\($0)" })
        })
    try await withErrorBus(handler: rules, asRoot: true) { _ in
        try await application.runService()
    }
}

private func log() -> ErrorHandler {
    let levels = ErrorMap<Logger.Level>(default: .error)
        .on(OrderMissing.self, .info)
    let rules = ErrorHandler()
        .on(OrderMissing.self) { _ in .stop }
        .overlaid(with: .logging(to: logger, levels: levels))
    return rules
}

private func requests(_ router: Router<BasicRequestContext>) {
    let problems = ErrorMap(default: ProblemDetails(title: "Internal error", status: 500))
        .on(OrderMissing.self, ProblemDetails(title: "There is no such order", status: 404))

    router.addMiddleware {
        MetricsMiddleware()  // counts the status that the client gets
        TracingMiddleware()  // its span is open until the body is written
        RequestErrors(problems)  // turns errors into responses
        // then everything that throws
    }
}

private func consume(
    _ request: Request,
    _ handle: @escaping @Sendable (RequestBody) async throws -> Response
) async throws -> Response {
    do {
        return try await request.body.consumeWithCancellationOnInboundClose { try await handle($0) }
    } catch is CancellationError where !Task.isCancelled {
        throw ClientBroke.left(CancellationError())
    }
}

private func others(_ client: HTTPClient, _ request: HTTPClientRequest) async throws -> Response {
    let response = try await upstream { try await client.execute(request, timeout: .seconds(10)) }
    return Response(
        status: .ok, body: ResponseBody(asyncSequence: upstream(response.body, pauses: .seconds(10))))
}

struct Suppliers: Service {
    private let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration())
    let api: APIClient

    init(base: URL) {
        api = APIClient(base: base, transport: AsyncHTTPClientTransport(client), retry: .default)
    }

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}

private func service(_ rules: ErrorHandler, _ path: String, _ observability: Observability) async {
    var services = ServicesInBus(handler: rules, logger: logger) {
        let database = try Database(path: path)  // first what can throw
        return [database, try await buildApplication()]
    }
    services.exporters = [observability]
    services.onStart = { $0.measureErrors() }
    do { try await services.run() } catch { exit(EXIT_FAILURE) }
}

private func traces(_ rules: ErrorHandler, _ database: Database, _ application: some ApplicationProtocol) {
    let services = ServicesInBus(
        handler: rules, logger: logger, log: ErrorLog(logger, levels: levels, within: ErrorTracing.bind),
        configuration: .init(metadataProvider: ErrorTracing.metadata)
    ) { [database, application] }
    _ = services
}

private func calls(_ transport: InProcessTransport.Server, _ orders: some RegistrableRPCService) {
    let answers = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
        .on(OrderMissing.self, RPCError(code: .notFound, message: "There is no such order"))
    let server = GRPCServer(transport: transport, services: [orders], interceptors: [CallErrors(answers)])
    _ = server
}

@Suite(.failsOnUnexpectedErrors)
struct AppTests {
    @Test func `an order that is not there is a 404, and reported`() async throws {
        try await expectingErrors(matching: .type(OrderMissing.self), count: 1) {
            try await buildApplication().test(.router) { client in
                try await client.execute(uri: "/orders/7", method: .get) { #expect($0.status == .notFound) }
            }
        }
    }
}
