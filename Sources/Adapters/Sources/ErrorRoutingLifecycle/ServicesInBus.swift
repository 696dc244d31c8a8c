public import ErrorRecording
public import ErrorRouting
public import ErrorRoutingLogging
public import Logging
public import ServiceLifecycle
import UnixSignals

private typealias Part = ServiceGroupConfiguration.ServiceConfiguration

/// Runs services with a bus around them, and exporters around the bus, so that no error is lost when they end.
///
/// ```swift
/// var services = ServicesInBus(handler: rules, logger: logger) { [database, application] }
/// services.exporters = [observability]
/// try await services.run()
/// ```
///
/// On SIGTERM or SIGINT the services end one by one, the last one first. The table has the limits of what then follows;
/// a platform's own limit, such as Kubernetes' `terminationGracePeriodSeconds` (30 by default), must be longer than all
/// of them together. A service that ignores its cancellation is waited for.
///
/// | step | at most |
/// | --- | --- |
/// | the services end, when the last request is answered; then those that are left are cancelled | 20 s |
/// | the tasks of the bus (`errors.task`) end; then those that are left are cancelled | 3 s, and 1 s after that |
/// | the bus delivers what is pending; what it could not deliver is logged | 5 s |
/// | the recorder writes what it has | 5 s |
/// | the last entry of the log has the counts of all errors | |
/// | the exporters end, and send what they have | theirs |
///
/// It is a service itself, so it may run in a group of your own. Do not run it on the main actor: on Linux that needs a
/// thread of the concurrency pool, so that a blocked pool would delay the shutdown.
public struct ServicesInBus: Service {
    /// The time limits of a shutdown.
    public struct ShutdownLimits: Sendable, Hashable {
        /// How long the services may take to end before they are cancelled.
        public var services = Duration.seconds(20)
        /// How long the tasks of the bus may take to end before they are cancelled.
        public var tasks = Duration.seconds(3)
        /// How long the bus may take to deliver what is pending, and the recorder to write what it has.
        public var delivery = Duration.seconds(5)

        /// The limits of the table above.
        public init() {}
    }

    /// The services that send logs, spans and metrics; they end after the bus, and so get its last words.
    ///
    /// One that ends early ends nothing else: if it returns, it is taken to be switched off, and if it throws, standard
    /// error says so, since the log may be what has failed.
    public var exporters: [any Service] = []
    /// The recorder that gets every report, and is closed at the end; nil by default.
    public var recorder: ErrorRecorder?
    /// Called with the bus before the services are made, to observe it: `{ $0.measureErrors() }`.
    public var onStart: @Sendable (ErrorBus) -> Void = { _ in }
    /// The time limits of a shutdown.
    public var limits = ShutdownLimits()

    private let handler: ErrorHandler
    private let log: ErrorLog
    private let logger: Logger
    private let configuration: ErrorBus.Configuration
    private let makeServices: @Sendable () async throws -> [any Service]

    /// Prepares services to run.
    ///
    /// - Parameters:
    ///   - handler: The rules; the log is overlaid on them. A rule must not need one of the services: some errors are
    ///     delivered after all services have ended.
    ///   - logger: The logger of the groups of services, and for the last entry, which has the counts of all errors.
    ///   - log: Where errors are logged; by default the same logger, with the levels of
    ///     ``ErrorRoutingLogging/ErrorLog/level(of:)``.
    ///   - configuration: The bus's limits, clock, metadata provider and last resort.
    ///   - makeServices: Makes the services, the bus being there, so that one that cannot be made is an error like any
    ///     other. A signal cancels it. They end in the opposite order.
    public init(
        handler: ErrorHandler,
        logger: Logger,
        log: ErrorLog? = nil,
        configuration: ErrorBus.Configuration = .init(),
        _ makeServices: @escaping @Sendable () async throws -> [any Service]
    ) {
        let log = log ?? ErrorLog(logger)
        self.handler = handler.overlaid(with: .logging(to: log))
        self.log = log
        self.logger = logger
        self.configuration = configuration
        self.makeServices = makeServices
    }

    /// Runs the services until they have ended, by a signal or by themselves, and every error is told.
    ///
    /// - Throws: What the first service threw that failed, or what was thrown while they were made. It is in the log,
    ///   once: a `main` that throws it again stops the process as a crash does, so catch it there, and exit with a
    ///   status other than 0.
    public func run() async throws {
        let outer = exporters.map {
            Part(service: Exporting(exporter: $0), successTerminationBehavior: .ignore, serviceName: "\(type(of: $0))")
        }
        let inner = Part(
            service: Inner(services: self), successTerminationBehavior: .gracefullyShutdownGroup,
            failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "ServicesInBus")
        let group = ServiceGroupConfiguration(
            services: outer + [inner], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await ServiceGroup(configuration: group).run()
    }

    private struct Inner: Service {
        let services: ServicesInBus

        func run() async throws { try await services.runInBus() }
    }

    private struct Exporting: Service {
        let exporter: any Service

        func run() async {
            do { try await exporter.run() } catch { await ErrorHandler.standardError.handle(error) }
            // A service that returns while others end would have its group cancel them.
            try? await gracefulShutdown()
        }
    }

    /// A service whose error is posted, of which its group would throw only the first.
    private struct Posting: Service {
        let service: any Service
        let bus: ErrorBus

        func run() async throws {
            do { try await service.run() } catch {
                if error.wasAskedFor { throw error }
                bus.post(error)
                throw Posted(error: error)
            }
        }
    }

    private struct Posted: Error { let error: any Error }

    private func runInBus() async throws {
        try await withErrorBus(handler: handler, configuration: configuration, asRoot: true) { bus in
            onStart(bus)
            if let recorder { bus.observeUntilEnd { recorder.record($0) } }
            var failure: (any Error)?
            do { try await runServices(in: bus) } catch let posted as Posted { failure = posted.error } catch {
                if !error.wasAskedFor { bus.post(error) }
                if !error.isCancellation || !Task.isShuttingDownGracefully { failure = error }
            }
            await bus.endTasks(within: limits.tasks)
            for report in await bus.shutdown(within: limits.delivery) {
                log.write(report)
                recorder?.record(report)
            }
            if let recorded = await recorder?.close(within: limits.delivery) { logger.notice("recorder: \(recorded)") }
            logger.notice("\(bus.statistics)")
            if let failure { throw failure }
        }
    }

    private func runServices(in bus: ErrorBus) async throws {
        let parts = try await cancelWhenGracefulShutdown(makeServices).map {
            Part(
                service: Posting(service: $0, bus: bus), failureTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: "\(type(of: $0))")
        }
        var group = ServiceGroupConfiguration(services: parts, logger: logger)
        group.maximumGracefulShutdownDuration = limits.services
        try await ServiceGroup(configuration: group).run()
    }
}

extension Error {
    /// Whether a service was cancelled; gRPC's has that as the cause.
    fileprivate var isCancellation: Bool { ErrorMatcher.anywhere(.cancellation).match(self) != nil }

    /// Whether a service ends as it should: one that the limit cancels does, one that was not asked to end does not.
    fileprivate var wasAskedFor: Bool { isCancellation && (Task.isCancelled || Task.isShuttingDownGracefully) }
}
