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

/// A small order service as for production: with a database, calls to a supplier, logs, metrics and traces.
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
        var services = ServicesInBus(
            handler: .orders(paging: settings.pager.map { Pager(settings.supplier, $0) }),
            logger: logger,
            log: ErrorLog(logger, levels: levels, within: ErrorTracing.bind),
            configuration: .init(floodLimit: settings.floodLimit, metadataProvider: ErrorTracing.metadata)
        ) { try makeServices(settings, registry) }
        services.exporters = [exporter] + settings.otherExporters
        services.onStart = { $0.measureErrors() }
        services.recorder = recorder
        services.limits.services = settings.limit
        do {
            try await services.run()
        } catch {
            // The error is in the log, as every error is.
            exit(EXIT_FAILURE)
        }
    }

    /// The services end in the opposite order: the server, which needs the others, ends first.
    private static func makeServices(_ settings: Settings, _ registry: MetricsRegistry) throws -> [any Service] {
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
        return [store, suppliers, printer, Shipping(), application]
    }
}

/// The settings from environment variables.
struct Settings {
    /// A variable is missing, or not valid.
    struct Invalid: Error {
        let variable: String
    }

    /// `PORT`; 0 for any free port, which is then logged.
    let port: Int
    /// `DATABASE`: the path of a SQLite file, which is made if it does not exist.
    let database: String
    /// `SUPPLIER_URL`: the base URL; its paths are suppliers.
    let supplier: URL
    /// `PAGER_PATH`: the path at the supplier that pages somebody; nobody is paged if it is not set.
    let pager: String?
    /// `OTHER_EXPORTER`: one that is `off` returns at once, and one that is `broken` fails at once.
    let otherExporters: [any Service]
    /// `FLOOD_LIMIT`: how many errors of one kind are logged in a second.
    let floodLimit: FloodLimit?
    /// `RECORD`: the path of a file in which errors are recorded.
    let record: String?
    /// `SHUTDOWN_LIMIT`: how many seconds requests may take after SIGTERM; 20 unless it is set.
    let limit: Duration
    /// `LOG_LEVEL`, `info` unless it is set.
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
        limit = .seconds(try value("SHUTDOWN_LIMIT", Int.init) ?? 20)
        logLevel = try value("LOG_LEVEL", Logger.Level.init(rawValue:)) ?? .info
    }
}
