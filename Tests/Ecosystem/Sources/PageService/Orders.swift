import AsyncHTTPClient
import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingLifecycle
import Foundation
import Hummingbird
import ServiceLifecycle

struct Client: Service {
    let http = HTTPClient()
    func run() async throws {
        try? await gracefulShutdown()
        try await http.shutdown()
    }
}

func buildApplication(_ settings: [String: String]) -> some ApplicationProtocol {
    let client = Client()
    let router = Router().addMiddleware { ErrorReportingMiddleware() }
    router.post("orders") { _, _ in
        let label = HTTPClientRequest(url: settings["PRINTER_URL"] ?? "http://localhost:9100/labels")
        postingTask { _ = try await client.http.execute(label, timeout: .seconds(10)) }
        return HTTPResponse.Status.accepted
    }
    let port = settings["PORT"].flatMap(Int.init) ?? 8080
    var app = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
    app.addServices(client)
    return app
}

@main
struct Orders {
    static func main() async {
        let app = buildApplication(ProcessInfo.processInfo.environment)
        let errors = ErrorBusService(handler: ErrorHandler(), logger: app.logger)
        do { try await app.runService(reportingTo: errors) } catch { exit(EXIT_FAILURE) }
    }
}
