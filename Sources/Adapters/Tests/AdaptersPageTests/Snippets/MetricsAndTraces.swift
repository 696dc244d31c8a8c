import ErrorRoutingServer
import Logging

private func measured(
    _ rules: ErrorHandler, _ logger: Logger, _ levels: ErrorMap<Logger.Level?>
) -> ErrorBusService {
    let errors = ErrorBusService(
        handler: rules, logger: logger, log: ErrorLog(logger, levels: levels, within: ErrorTracing.bind),
        configuration: .init(metadataProvider: ErrorTracing.metadata))
    errors.bus.measureErrors()
    return errors
}
