public import ErrorRecording
public import ErrorRouting
public import ErrorRoutingLogging
public import Logging
public import ServiceLifecycle

/// An error bus as a service of your own `ServiceGroup`, so that no error is lost when the services stop.
///
/// ```swift
/// let errors = ErrorBusService(handler: rules, logger: logger)
/// try await application.runService(reportingTo: errors)            // with Hummingbird
/// let group = ServiceGroup(services: services, reportingTo: errors)  // without it
/// ```
///
/// Both arrange the services in this order: the exporters, `errors`, your services, `errors.tasks`, the application. If
/// you arrange a group yourself, wrap the services in ``watching(_:as:endingWithin:fileID:line:)``.
///
/// A group stops its services one by one, starting with the last service. So the bus's tasks end before the services
/// that they need. The bus then delivers the errors that the tasks and services have posted, while the exporters still
/// send the log.
///
/// | step after SIGTERM | at most |
/// | --- | --- |
/// | the application stops when the last request has been answered; at the limit it is cancelled | 15 s |
/// | ``tasks``: the bus's tasks (`errors.bus.task`) end; at the limit they are cancelled | 2 s, and 1 s after that |
/// | other services stop, such as a client; at the limit each is cancelled | 3 s each, if the library arranged them |
/// | the bus delivers pending reports; then tasks that its rules have started end as above | 3 s, and the tasks' 3 s |
/// | the recorder writes its pending reports, and sinks send theirs; the last log entry contains the counts | 3 s |
///
/// Not counting the other services, these limits add up to 27 seconds. Kubernetes gives a process 30 seconds, so 3
/// seconds remain for the other services. If the group is cancelled instead, all services end immediately. The bus then
/// accepts errors until its tasks, which are cancelled too, have ended, but for at least 1 s and at most 5 s.
public struct ErrorBusService: Service, CustomStringConvertible {
    /// The time limits of a shutdown.
    public struct ShutdownLimits: Sendable, Hashable {
        /// How long a service that stops before the bus's tasks, such as the application with its requests, may take to
        /// stop before it is cancelled.
        public let application: Duration
        /// How long the bus's tasks may take to end before they are cancelled.
        public let tasks: Duration
        /// How long each of the other services may take to stop before it is cancelled.
        public let services: Duration
        /// How long the bus may take to deliver its pending reports, and how long the recorder and the sinks may then
        /// take, in parallel, to write or send theirs.
        public let delivery: Duration

        /// Creates limits; the defaults are the limits in the table of ``ErrorBusService``.
        ///
        /// The limits `application` and `services` apply to the services that the library arranged.
        ///
        /// - Parameters:
        ///   - application: How long a service that stops before the bus's tasks, such as the application with its
        ///     requests, may take to stop before it is cancelled.
        ///   - tasks: How long the bus's tasks may take to end before they are cancelled.
        ///   - services: How long each of the other services may take to stop before it is cancelled.
        ///   - delivery: How long the bus may take to deliver its pending reports, and how long the recorder and the
        ///     sinks may then take, in parallel, to write or send theirs.
        public init(
            application: Duration = .seconds(15),
            tasks: Duration = .seconds(2),
            services: Duration = .seconds(3),
            delivery: Duration = .seconds(3)
        ) {
            (self.application, self.tasks, self.services, self.delivery) = (application, tasks, services, delivery)
        }
    }

    /// The bus, for tasks and observers: `errors.bus.measureErrors()`.
    public let bus: ErrorBus
    /// The time limits of a shutdown.
    public let limits: ShutdownLimits

    private let log: ErrorLog
    private let logger: Logger
    private let source: ErrorReport.Source
    private let recorder: ErrorRecorder?
    private let sinks: [any ErrorSink]
    private let clock: any Clock<Duration>
    private let cutOffs = CutOffTasks()

    /// Creates the bus and makes it the process's root bus; the bus delivers errors once the service runs.
    ///
    /// - Parameters:
    ///   - handler: The rules, on which the log is overlaid. A rule must not need a service that stops before the bus.
    ///   - logger: The logger for the errors, and for the last entries, which contain the counts of all errors. Pass
    ///     the service's own logger, so that the bus's entries have the same log level.
    ///   - levels: Maps a failure to the level of its entry, or to nil if the entry's level is the failure's severity.
    ///   - configuration: The bus's configuration.
    ///   - limits: The time limits of a shutdown.
    ///   - recorder: Receives every report and is closed at the end.
    ///   - sinks: Other destinations, such as a `SentrySink`, which receive every report and are closed at the end.
    ///   - fileID: The file of the last entries, whose module becomes their source.
    ///   - line: The line of the last entries.
    public init(
        handler: ErrorHandler,
        logger: Logger,
        levels: ErrorMap<Logger.Level?> = ErrorMap(),
        configuration: ErrorBus.Configuration = .init(),
        limits: ShutdownLimits = .init(),
        recorder: ErrorRecorder? = nil,
        sinks: [any ErrorSink] = [],
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        self.init(
            handler: handler, logger: logger, log: ErrorLog(logger, levels: levels), configuration: configuration,
            limits: limits, recorder: recorder, sinks: sinks, fileID: fileID, line: line)
    }

    /// Creates the bus with a custom log; see ``init(handler:logger:levels:configuration:limits:recorder:sinks:)``.
    ///
    /// - Parameters:
    ///   - handler: The rules, on which the log is overlaid.
    ///   - logger: The logger for the last entries, which contain the counts of all errors.
    ///   - log: The log to which the errors are written.
    ///   - configuration: The bus's configuration.
    ///   - limits: The time limits of a shutdown.
    ///   - recorder: Receives every report and is closed at the end.
    ///   - sinks: Other destinations, such as a `SentrySink`, which receive every report and are closed at the end.
    ///   - fileID: The file of the last entries, whose module becomes their source.
    ///   - line: The line of the last entries.
    public init(
        handler: ErrorHandler,
        logger: Logger,
        log: ErrorLog,
        configuration: ErrorBus.Configuration = .init(),
        limits: ShutdownLimits = .init(),
        recorder: ErrorRecorder? = nil,
        sinks: [any ErrorSink] = [],
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        source = ErrorReport.Source(fileID: fileID, line: line)
        (self.log, self.logger, self.recorder, self.sinks, self.limits) = (log, logger, recorder, sinks, limits)
        clock = configuration.clock
        bus = ErrorBus(handler: handler.overlaid(with: .logging(to: log)), configuration: configuration)
        bus.becomeRoot()
        if let recorder { bus.observeUntilEnd { recorder.record($0) } }
        for sink in sinks { bus.observeUntilEnd { sink.receive($0) } }
    }

    /// Delivers errors until the service is shut down or cancelled, and then delivers the pending errors.
    ///
    /// Errors that couldn't be delivered in time are logged and recorded with the disposition `pending`.
    public func run() async {
        // Detach the task, because cancelling this task would finish the bus while other services are still posting.
        Task.detached { [bus] in await bus.run() }
        for sink in sinks { sink.start() }
        if await isShutDownGracefully() {
            let begin = ContinuousClock.now
            _ = await bus.flush(within: limits.delivery)
            let rest = limits.delivery - begin.duration(to: .now)
            await cutOffs.cancelTasks(of: bus, after: limits.tasks)
            await close(within: rest)
        } else {
            let least = Task.detached { [clock] in try? await sleep(for: .seconds(1), on: clock) }
            await cutOffs.cancelTasks(of: bus)
            await least.value
            await close(within: limits.delivery)
        }
    }

    private func close(within limit: Duration) async {
        for report in await bus.shutdown(within: limit) {
            log.write(report)
            recorder?.record(report)
            for sink in sinks { sink.receive(report) }
            cutOffs.count(report)
        }
        func note(_ text: String) {
            logger.notice("\(text)", file: source.fileID, function: "", line: source.line)
        }
        await withTaskGroup(of: String?.self) { group in
            let limit = limits.delivery
            if let recorder { group.addTask { "recorder: \(await recorder.close(within: limit))" } }
            for sink in sinks { group.addTask { await sink.close(within: limit) } }
            for await case let text? in group { note(text) }
        }
        note("\(bus.statistics)\(cutOffs.text)")
    }

    /// The service's name, for the log of the service group.
    public var description: String { "ErrorBusService" }

    /// A service that ends the bus's tasks; list it after the services that they need.
    ///
    /// It waits for all tasks of the bus: tasks from `errors.bus.task`, from `postingTask`, and from `.ambient` in a
    /// route.
    public var tasks: some Service { Tasks(bus: bus, limit: limits.tasks, cutOffs: cutOffs) }

    /// Returns a service that runs another service in the bus, and posts its errors in a scope with its name.
    ///
    /// Inside the service, this bus is the current bus, so applications in parallel tests don't mix up their errors.
    ///
    /// - Parameters:
    ///   - service: The service to run, such as an `Application`.
    ///   - name: The service's name in the report, such as `Application`; nil for the name of its type.
    ///   - limit: How long the service may take to stop before it is cancelled.
    ///   - fileID: The file in the source of the report.
    ///   - line: The line in the source of the report.
    /// - Returns: The service. It throws the same errors, except for a cancellation that follows a shutdown or a
    ///   cancelled task.
    public func watching(
        _ service: some Service,
        as name: String? = nil,
        endingWithin limit: Duration = .seconds(15),
        fileID: String = #fileID,
        line: UInt = #line
    ) -> some Service {
        let source = ErrorReport.Source(fileID: fileID, line: line)
        return Watched(
            service: service, bus: bus, description: name ?? typeName(of: service), source: source, limit: limit,
            clock: clock)
    }

    /// Returns a service that runs another service in the bus, and fails if that service returns before the shutdown.
    func watchingUntilShutdown(
        _ service: some Service, as name: String?, endingWithin limit: Duration, _ source: ErrorReport.Source
    ) -> any Service {
        Watched(
            service: service, bus: bus, description: name ?? typeName(of: service), source: source, limit: limit,
            clock: clock, mustNotReturn: true)
    }

    /// A service that ends the bus's tasks.
    struct Tasks: Service, CustomStringConvertible {
        let bus: ErrorBus
        let limit: Duration
        let cutOffs: CutOffTasks
        let description = "ErrorBusService.tasks"

        func run() async {
            if await isShutDownGracefully() {
                await cutOffs.cancelTasks(of: bus, after: limit)
            } else {
                await cutOffs.cancelTasks(of: bus)
            }
        }
    }
}

/// Waits until the service is shut down or cancelled; returns true if it was shut down gracefully.
private func isShutDownGracefully() async -> Bool {
    do { try await gracefulShutdown() } catch { return false }
    return true
}
