import ErrorRoutingHummingbird
import ErrorRoutingServer
import Hummingbird

private func runService(_ app: some ApplicationProtocol, _ rules: ErrorHandler) async throws {
    let errors = ErrorBusService(
        handler: rules, logger: app.logger, configuration: .init(metadataProvider: ErrorTracing.metadata))
    errors.bus.measureErrors()
    try await app.runService(reportingTo: errors)
}
