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

/// A service that ends in the way that `SITUATION` names, for the table on the page about shutdowns.
@main
enum EndingService {
    static func main() async {
        let settings = ProcessInfo.processInfo.environment
        let situation = settings["SITUATION"]
        let (client, logger) = (Client(), Logger(label: "ending"))
        let errors = ErrorBusService(handler: ErrorHandler(), logger: logger)
        if situation == "error before the group runs" {
            postError(SetUpFailed())
            exit(EXIT_FAILURE)
        }
        if situation == "waits before the group runs" {
            postError(SetUpFailed())
            await wait("before the group runs")
        }
        let port = settings["PORT"].flatMap(Int.init) ?? 0
        var server = Application(
            router: routes(client.http, settings["UPSTREAM_URL"] ?? ""),
            configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: Logger(label: "http"))
        server.beforeServerStarts {
            if situation == "migration fails" { throw MigrationFailed() }
            guard situation == "waits before the server starts" else { return }
            postError(SetUpFailed())
            await wait("before the server starts")
        }
        let application = ServiceGroupConfiguration.ServiceConfiguration(
            service: errors.watching(server), successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup)
        let group = ServiceGroupConfiguration(
            services: [.init(service: errors), .init(service: client), .init(service: errors.tasks), application],
            gracefulShutdownSignals: [.sigterm], logger: logger)
        do { try await ServiceGroup(configuration: group).run() } catch { exit(EXIT_FAILURE) }
        if situation == "error after the group has returned" {
            postError(CacheFailed())
            exit(EXIT_FAILURE)
        }
    }

    private static func routes(_ client: HTTPClient, _ upstreamURL: String) -> Router<BasicRequestContext> {
        let router = Router().addMiddleware { ErrorReportingMiddleware() }
        // Posts an error, answers it, and continues.
        router.get("cache") { _, _ in
            postError(CacheFailed())
            return HTTPResponse.Status.ok
        }
        router.get("exit") { _, _ -> HTTPResponse.Status in
            postError(CacheFailed())
            exit(EXIT_FAILURE)
        }
        router.get("slow") { _, _ in
            print("in the request")
            try await Task.sleep(for: .seconds(2))
            postError(CacheFailed())
            return HTTPResponse.Status.ok
        }
        router.get("call") { _, _ in
            let request = HTTPClientRequest(url: upstreamURL)
            _ = try await upstream { try await client.execute(request, timeout: .seconds(30)) }
            return HTTPResponse.Status.ok
        }
        return router
    }

    /// Waits until a signal ends the process, or cancels the task.
    private static func wait(_ place: String) async {
        print("waits \(place)")
        try? await Task.sleep(for: .seconds(60))
        print("continues \(place)")
    }
}

private struct Client: Service {
    let http = HTTPClient()

    func run() async throws {
        try? await gracefulShutdown()
        try await http.shutdown()
    }
}
