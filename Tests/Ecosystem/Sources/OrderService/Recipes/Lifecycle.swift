import ErrorRouting
import Logging
import ServiceLifecycle
import UnixSignals

// The services, with a bus around them. It is a service itself, so that exporters can be around the bus in turn.
struct ServicesInBus: Service {
    let errors: ErrorHandler
    let configuration: ErrorBus.Configuration
    let makeServices: @Sendable () throws -> ServiceGroup

    func run() async throws {
        try await withErrorBus(handler: errors, configuration: configuration, asRoot: true) { bus in
            bus.observeUntilEnd { measure($0, of: bus) }
            var failure: (any Error)?
            // Returns on SIGTERM, when the last request is answered. A service that fails, or cannot be made, is an
            // error like any other.
            do { try await bus.rethrowing { try await makeServices().run() } } catch { failure = error }
            for report in await bus.shutdown(within: .seconds(5)) { log(report.error, report) }
            measure(bus.statistics)
            logger.notice("\(bus.statistics)")
            if let failure { throw failure }
        }
    }
}

// A group ends its services one by one, the last one first: exporters end after the bus, and get its last words.
func serve(_ services: ServicesInBus, exporters: [any Service]) async throws {
    typealias Part = ServiceGroupConfiguration.ServiceConfiguration
    let outer = exporters.map { Part(service: $0, failureTerminationBehavior: .ignore) }
    let inner = Part(
        service: services, successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup)
    let group = ServiceGroupConfiguration(
        services: outer + [inner], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await ServiceGroup(configuration: group).run()
}
