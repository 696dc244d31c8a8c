import ErrorRecording
import ErrorRouting
import ErrorRoutingLifecycle
import ErrorRoutingLogging
import ErrorRoutingMetrics
import ErrorRoutingTracing
import Foundation
import Hummingbird
import Logging
import Metrics
import ServiceLifecycle
import Tracing
import UnixSignals

/// A small order service, built as for production: with a database, calls to a supplier, logs, metrics, and traces.
@main
enum OrderService {
    static func main() async throws {
        let settings = try Settings(ProcessInfo.processInfo.environment)
        let registry = MetricsRegistry()
        let exporter = Exporter(registry)
        LoggingSystem.bootstrap(
            { JSONLogHandler(label: $0, logLevel: settings.logLevel, metadataProvider: $1, exporter: exporter) },
            metadataProvider: .span)
        MetricsSystem.bootstrap(registry)
        InstrumentationSystem.bootstrap(SpanTracer())
        await run(settings, registry, exporter, try settings.record.map { try ErrorRecorder(path: $0) })
    }

    /// Runs the service off the main actor, which would be blocked while the thread pool is busy.
    @concurrent
    private static func run(
        _ settings: Settings,
        _ registry: MetricsRegistry,
        _ exporter: Exporter,
        _ recorder: ErrorRecorder?
    ) async {
        let errors = ErrorBusService(
            handler: .orders(paging: settings.pager.map { Pager(settings.supplier, $0) }, waiting: settings.pagerWaits),
            logger: logger,
            log: ErrorLog(logger, levels: levels, within: ErrorTracing.bind),
            configuration: .init(floodLimit: settings.floodLimit, metadataProvider: ErrorTracing.metadata),
            limits: .init(delivery: settings.deliveryLimit), recorder: recorder)
        errors.bus.measureErrors()
        // If the services can't be created, run a service that fails instead, so that the bus and the exporters still
        // run.
        let services: [any Service]
        do { services = try makeServices(settings, registry, errors) } catch {
            services = [errors.watching(FailedService(error: error), as: "OrderService")]
        }
        do {
            try await group([exporter] + settings.otherExporters, [errors] + services).run()
        } catch {
            // The error has already been logged.
            exit(EXIT_FAILURE)
        }
    }

    /// Creates the services.
    ///
    /// They stop in reverse order: first the server, which needs the others, then the bus's tasks.
    private static func makeServices(
        _ settings: Settings, _ registry: MetricsRegistry, _ errors: ErrorBusService
    ) throws -> [any Service] {
        let store = try OrderStore(path: settings.database)
        let suppliers = Suppliers(base: settings.supplier)
        let printer = Printer()
        let application = Application(
            router: routes(store, suppliers, printer, registry),
            configuration: .init(address: .hostname("127.0.0.1", port: settings.port), backlog: 1024),
            onServerRunning: { channel in
                logger.notice("listening", metadata: ["port": "\(channel.localAddress?.port ?? 0)"])
            },
            logger: Logger(label: "http")
        )
        func watched(_ service: some Service) -> any Service {
            errors.watching(service, endingWithin: settings.limit)
        }
        return [
            watched(store), watched(suppliers), errors.tasks, watched(printer), watched(Shipping()),
            watched(application),
        ]
    }

    /// Returns a group that continues if an exporter returns by itself.
    ///
    /// If any other service returns, the group shuts down.
    private static func group(_ exporters: [any Service], _ services: [any Service]) -> ServiceGroup {
        typealias Part = ServiceGroupConfiguration.ServiceConfiguration
        let parts = exporters.map {
            Part(service: Exporting(exporter: $0), successTerminationBehavior: .ignore)
        }
        let others = services.map {
            Part(
                service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup)
        }
        let configuration = ServiceGroupConfiguration(
            services: parts + others, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        return ServiceGroup(configuration: configuration)
    }

    /// Runs an exporter and logs its failure on standard error, because the log itself might have failed.
    private struct Exporting: Service {
        let exporter: any Service

        func run() async {
            do { try await exporter.run() } catch { await ErrorHandler.standardError.handle(error) }
            // Don't return before the shutdown: the group would cancel the other services.
            try? await gracefulShutdown()
        }
    }

    /// Replaces services that couldn't be created.
    private struct FailedService: Service {
        let error: any Error

        func run() async throws { throw error }
    }
}

/// The settings from environment variables.
struct Settings {
    /// A variable is missing or invalid.
    struct Invalid: Error {
        let variable: String
    }

    /// `PORT`; 0 for any free port, which is then logged.
    let port: Int
    /// `DATABASE`: the path of a SQLite file, which is created if it doesn't exist.
    let database: String
    /// `SUPPLIER_URL`: the base URL.
    ///
    /// Each path below it is a supplier.
    let supplier: URL
    /// `PAGER_PATH`: the supplier's path for paging an engineer.
    ///
    /// If it isn't set, engineers aren't paged.
    let pager: String?
    /// `PAGER_WAITS`: `yes` if the paging rule must wait for the pager, which a rule should never do.
    let pagerWaits: Bool
    /// `OTHER_EXPORTER`: `off` for another exporter that returns immediately, or `broken` for an exporter that fails
    /// immediately.
    let otherExporters: [any Service]
    /// `FLOOD_LIMIT`: how many errors of one kind are logged in a second.
    let floodLimit: FloodLimit?
    /// `RECORD`: the path of a file in which errors are recorded.
    let record: String?
    /// `SHUTDOWN_LIMIT`: how many seconds requests may take after SIGTERM; 15 by default.
    let limit: Duration
    /// `DELIVERY_LIMIT`: how many seconds the bus may take to deliver the last errors; 3 by default.
    let deliveryLimit: Duration
    /// `LOG_LEVEL`: `info` by default.
    let logLevel: Logger.Level

    init(_ environment: [String: String]) throws {
        func value<Value>(_ name: String, _ make: (String) -> Value?) throws -> Value? {
            guard let text = environment[name] else { return nil }
            guard let value = make(text) else { throw Invalid(variable: name) }
            return value
        }
        port = try value("PORT", Int.init) ?? 8080
        database = environment["DATABASE"] ?? "orders.sqlite"
        guard let supplier = try value("SUPPLIER_URL", URL.init(string:)) else {
            throw Invalid(variable: "SUPPLIER_URL")
        }
        self.supplier = supplier
        pager = environment["PAGER_PATH"]
        otherExporters = try value("OTHER_EXPORTER", EndedExporter.init(rawValue:)).map { [$0] } ?? []
        floodLimit = try value("FLOOD_LIMIT", Int.init).map { FloodLimit(first: $0, per: .seconds(1)) }
        record = environment["RECORD"]
        pagerWaits = environment["PAGER_WAITS"] == "yes"
        limit = .seconds(try value("SHUTDOWN_LIMIT", Int.init) ?? 15)
        deliveryLimit = .seconds(try value("DELIVERY_LIMIT", Int.init) ?? 3)
        logLevel = try value("LOG_LEVEL", Logger.Level.init(rawValue:)) ?? .info
    }
}
