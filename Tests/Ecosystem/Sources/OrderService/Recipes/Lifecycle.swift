import ErrorRouting
import Logging
import ServiceLifecycle
import UnixSignals

private typealias Part = ServiceGroupConfiguration.ServiceConfiguration

// The services, with a bus around them. It is a service itself, so that exporters can be around the bus in turn.
struct ServicesInBus: Service {
    let errors: ErrorHandler
    let configuration: ErrorBus.Configuration
    let makeServices: @Sendable () async throws -> [any Service]

    func run() async throws {
        try await withErrorBus(handler: errors, configuration: configuration, asRoot: true) { bus in
            bus.observeUntilEnd { measure($0, of: bus) }
            var failure: (any Error)?
            // A service that fails, or cannot be made, is an error like any other.
            do { try await bus.rethrowing { try await runServices() } } catch { failure = error }
            await bus.endTasks(within: .seconds(3))
            for report in await bus.shutdown(within: .seconds(5)) { log(report.error, report) }
            measure(bus.statistics)
            logger.notice("\(bus.statistics)")
            if let failure { throw failure }
        }
    }

    // Returns on SIGTERM, when the last request is answered. The services end one by one, the last one first, also
    // where one of them fails.
    private func runServices() async throws {
        let parts = try await makeServices().map {
            Part(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "\(type(of: $0))")
        }
        var group = ServiceGroupConfiguration(services: parts, logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(20)
        try await ServiceGroup(configuration: group).run()
    }
}

// Exporters end after the bus, and get its last words.
func serve(_ services: ServicesInBus, exporters: [any Service]) async throws {
    let outer = exporters.map {
        Part(service: Exporting(exporter: $0), successTerminationBehavior: .ignore, serviceName: "\(type(of: $0))")
    }
    let inner = Part(
        service: services, successTerminationBehavior: .gracefullyShutdownGroup,
        failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "ServicesInBus")
    let group = ServiceGroupConfiguration(
        services: outer + [inner], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await ServiceGroup(configuration: group).run()
}

// The services go on without an exporter that has failed. Standard error says so, since the log may be what has failed.
private struct Exporting: Service {
    let exporter: any Service

    func run() async {
        do { try await exporter.run() } catch { await ErrorHandler.standardError.handle(error) }
    }
}
