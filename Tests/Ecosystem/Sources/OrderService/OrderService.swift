import ErrorRouting
import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle
import Tracing
import UnixSignals

/// A small order service, as one would write it for production: a database, a supplier whom it asks, and everything
/// that operators want to see of it.
@main
enum OrderService {
    static func main() async throws {
        let settings = try Settings(ProcessInfo.processInfo.environment)
        let registry = MetricsRegistry()
        LoggingSystem.bootstrap { JSONLogHandler(label: $0, logLevel: settings.logLevel) }
        MetricsSystem.bootstrap(registry)
        InstrumentationSystem.bootstrap(SpanTracer())
        try await run(settings, registry)
    }

    /// Away from the main actor, which would be held up otherwise where the thread pool is busy.
    @concurrent
    private static func run(_ settings: Settings, _ registry: MetricsRegistry) async throws {
        let store = try OrderStore(path: settings.database)
        let suppliers = Suppliers(base: settings.supplier)
        let application = Application(
            router: routes(store, suppliers, registry),
            configuration: .init(address: .hostname("127.0.0.1", port: settings.port), backlog: 1024),
            onServerRunning: { channel in
                logger.notice("listening", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
            },
            logger: Logger(label: "http")
        )
        // Ended in the opposite order: first the server, which then needs the others no more.
        var configuration = ServiceGroupConfiguration(
            services: [store, suppliers, application], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lifecycle"))
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        do {
            try await serve(
                ServiceGroup(configuration: configuration),
                errors: .orders(paging: settings.pager.map { Pager(settings.supplier, $0) }),
                .init(floodLimit: settings.floodLimit, metadataProvider: trace, drainTimeLimit: .seconds(5)))
        } catch {
            // It is in the log, as every error is.
            exit(EXIT_FAILURE)
        }
    }
}

/// For what the service itself has to say, and for its errors.
let logger = Logger(label: "orders")
