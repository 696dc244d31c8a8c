import ErrorRouting
import ErrorRoutingLifecycle
import ErrorRoutingSentry
import Logging

private func service(_ rules: ErrorHandler, _ logger: Logger, _ dsn: String) throws -> ErrorBusService {
    let sentry = try SentrySink(dsn: dsn, release: "shop@1.4.0", environment: "staging", serverName: "shop-3")
    let errors = ErrorBusService(handler: rules, logger: logger, sinks: [sentry])
    return errors
}
