import ErrorRouting
import ErrorRoutingLifecycle
import Logging
import ServiceLifecycle
import UnixSignals

private func runGroup(_ rules: ErrorHandler, _ client: some Service, _ worker: some Service, _ server: some Service)
    async throws
{
    let logger = Logger(label: "orders")
    let errors = ErrorBusService(handler: rules, logger: logger)
    let group = ServiceGroup(
        services: [client, worker, server.endingBeforeTasks()], reportingTo: errors,
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
}
