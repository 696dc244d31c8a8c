import ErrorRouting
import ErrorRoutingHummingbird
import ErrorRoutingLifecycle
import Foundation
import Hummingbird

@main
struct Program {
    static func main() async throws {
        let app = try await buildApplication(ProcessInfo.processInfo.environment)
        let errors = ErrorBusService(handler: ErrorHandler(), logger: app.logger)
        try await app.runService(reportingTo: errors)
    }
}
