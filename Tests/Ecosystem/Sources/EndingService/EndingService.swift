import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingLifecycle
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

struct SetUpFailed: Error {}
struct MigrationFailed: Error {}
struct CacheFailed: Error {}

/// A service that ends as `SITUATION` specifies, for the table on the page about shutdowns.
@main
struct EndingService {
    private static let logger = Logger(label: "ending")
    private static let settings = ProcessInfo.processInfo.environment
    private static var situation: String { settings["SITUATION"] ?? "" }

    static func main() async {
        let client = Client()
        // The group logs that it has received a signal.
        var log = Logger(label: "group")
        log.logLevel = .debug
        let errors = ErrorBusService(handler: rules, logger: logger, limits: .init(tasks: .seconds(1)))
        if situation == "exit before the group" {
            postError(SetUpFailed())
            exit(EXIT_FAILURE)
        }
        if situation == "wait before the group" { await wait() }
        let application = ServiceGroupConfiguration.ServiceConfiguration(
            service: errors.watching(server(client.http), endingWithin: .seconds(4)),
            successTerminationBehavior: .gracefullyShutdownGroup, failureTerminationBehavior: .gracefullyShutdownGroup)
        let group = ServiceGroupConfiguration(
            services: [.init(service: errors), .init(service: client), .init(service: errors.tasks), application],
            gracefulShutdownSignals: [.sigterm], logger: log)
        do { try await ServiceGroup(configuration: group).run() } catch { exit(EXIT_FAILURE) }
        if situation == "exit after the group" {
            postError(CacheFailed())
            exit(EXIT_FAILURE)
        }
    }

    /// While a rule waits, its error is pending.
    private static var rules: ErrorHandler {
        guard situation == "exit in a request" else { return ErrorHandler() }
        return ErrorHandler().on(CacheFailed.self) { _ in
            try await Task.sleep(for: .seconds(60))
            return .stop
        }
    }

    private static func server(_ client: HTTPClient) -> some Service {
        let port = settings["PORT"].flatMap(Int.init) ?? 0
        var application = Application(
            router: routes(client), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            logger: Logger(label: "http"))
        application.beforeServerStarts {
            if situation == "fail before the server" { throw MigrationFailed() }
            if situation == "wait before the server" { await wait() }
        }
        return application
    }

    private static func routes(_ client: HTTPClient) -> Router<BasicRequestContext> {
        let router = Router().addMiddleware { ErrorReportingMiddleware() }
        router.get("cache") { _, _ in
            postError(CacheFailed())
            if situation == "exit in a request" { exit(EXIT_FAILURE) }
            return HTTPResponse.Status.ok
        }
        router.get("slow") { request, _ in
            logger.notice("waiting")
            try await Task.sleep(for: .seconds(request.uri.queryParameters.get("seconds", as: Int.self) ?? 0))
            postError(CacheFailed())
            return HTTPResponse.Status.ok
        }
        router.get("task") { _, _ in
            postingTask(name: "webhook") {
                logger.notice("waiting")
                try await Task.sleep(for: .seconds(60))
            }
            return HTTPResponse.Status.ok
        }
        router.get("call") { _, _ in
            let request = HTTPClientRequest(url: settings["UPSTREAM_URL"] ?? "")
            _ = try await upstream { try await client.execute(request, timeout: .seconds(30)) }
            return HTTPResponse.Status.ok
        }
        return router
    }

    /// Posts an error and waits until a signal ends the process or the task is cancelled.
    private static func wait() async {
        postError(SetUpFailed())
        logger.notice("waiting")
        try? await Task.sleep(for: .seconds(60))
    }
}

private struct Client: Service {
    let http = HTTPClient()

    func run() async throws {
        try? await gracefulShutdown()
        try await http.shutdown()
    }
}
