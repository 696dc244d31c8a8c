import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingLifecycle
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

struct Client: Service {
    let http = HTTPClient()
    func run() async throws {
        try? await gracefulShutdown()
        try await http.shutdown()
    }
}

@main
struct Orders {
    static func main() async {
        let (settings, client, logger) = (ProcessInfo.processInfo.environment, Client(), Logger(label: "orders"))
        let errors = ErrorBusService(handler: ErrorHandler(), logger: logger)
        let router = Router().addMiddleware { ErrorReportingMiddleware() }
        router.post("orders") { _, _ in
            let label = HTTPClientRequest(url: settings["PRINTER_URL"] ?? "http://localhost:9100/labels")
            errors.bus.task { _ = try await client.http.execute(label, timeout: .seconds(10)) }
            return HTTPResponse.Status.accepted
        }
        let port = settings["PORT"].flatMap(Int.init) ?? 8080
        let server = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
        let application = ServiceGroupConfiguration.ServiceConfiguration(
            service: errors.watching(server), successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup)
        let group = ServiceGroupConfiguration(
            services: [.init(service: errors), .init(service: client), .init(service: errors.tasks), application],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        do { try await ServiceGroup(configuration: group).run() } catch { exit(EXIT_FAILURE) }
    }
}
