import ErrorRouting
import Logging
import ServiceLifecycle

func serve(_ group: ServiceGroup, errors: ErrorHandler, _ configuration: ErrorBus.Configuration) async throws {
    try await withErrorBus(handler: errors, configuration: configuration, asRoot: true) { bus in
        bus.observeUntilEnd { measure($0, of: bus) }
        // Returns on SIGTERM, when the last request is answered. A service that fails is an error like any other.
        try await bus.rethrowing { try await group.run() }
        for report in await bus.shutdown(within: .seconds(5)) { log(report.error, report) }
        logger.notice("\(bus.statistics)")
    }
}
