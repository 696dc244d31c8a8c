import ErrorRouting
public import Logging
public import ServiceLifecycle
public import UnixSignals

extension ServiceGroup {
    /// Creates a group that posts its services' errors to a bus, and stops so that no error is lost.
    ///
    /// ```swift
    /// let errors = ErrorBusService(handler: rules, logger: logger)
    /// let group = ServiceGroup(
    ///     services: [client, worker, server.endingBeforeTasks()], reportingTo: errors,
    ///     gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await group.run()
    /// ```
    ///
    /// The services start as in any group. See ``ServiceLifecycle/ServiceGroupConfiguration/reporting(to:exporters:)``
    /// for the order in which they stop.
    ///
    /// - Parameters:
    ///   - services: The services in start order, not including `errors`.
    ///   - errors: The bus that receives the errors.
    ///   - exporters: The services that send logs, metrics, and traces; they stop after the bus.
    ///   - gracefulShutdownSignals: The signals that shut the group down.
    ///   - cancellationSignals: The signals that cancel the group.
    ///   - logger: The group's logger.
    ///   - fileID: The file in the source of a failing service's report.
    ///   - line: The line in the source of a failing service's report.
    public init(
        services: [any Service],
        reportingTo errors: ErrorBusService,
        exporters: [any Service] = [],
        gracefulShutdownSignals: [UnixSignal] = [],
        cancellationSignals: [UnixSignal] = [],
        logger: Logger = .current,
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        let configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: gracefulShutdownSignals,
            cancellationSignals: cancellationSignals, logger: logger)
        self.init(
            configuration: configuration.reporting(to: errors, exporters: exporters, fileID: fileID, line: line))
    }
}

extension ServiceGroupConfiguration {
    /// Returns the configuration with a bus that receives its services' errors, in an order in which no error is lost.
    ///
    /// On SIGTERM, the services stop in this order:
    ///
    /// 1. the services that are marked with ``ServiceLifecycle/Service/endingBeforeTasks()``, from the last to the
    ///    first; if none is marked, the last service
    /// 2. the bus's tasks
    /// 3. the other services, from the last to the first
    /// 4. the bus, which delivers the errors that all of these have posted
    /// 5. the exporters
    ///
    /// A warning names each service that stops before the bus's tasks without being marked, because a task that uses
    /// this service fails. If `errors` and `errors.tasks` are already among the services, they stay in place.
    ///
    /// Each service runs in the bus, and posts its error in a scope with its name. A service that isn't wrapped in
    /// ``ErrorBusService/watching(_:as:endingWithin:fileID:line:)`` has the limits of ``ErrorBusService/limits``. If a
    /// service fails, or returns before the shutdown, the group shuts down in the order above and throws, instead of
    /// cancelling all services. Termination behaviors other than `cancelGroup` don't change.
    ///
    /// - Parameters:
    ///   - errors: The bus that receives the errors.
    ///   - exporters: The services that send logs, metrics, and traces. If one of them returns early, the group
    ///     continues.
    ///   - fileID: The file in the source of a failing service's report.
    ///   - line: The line in the source of a failing service's report.
    /// - Returns: The configuration.
    public func reporting(
        to errors: ErrorBusService,
        exporters: [any Service] = [],
        fileID: String = #fileID,
        line: UInt = #line
    ) -> ServiceGroupConfiguration {
        let arranged = ArrangedServices(
            services, around: errors, exporters: exporters, at: .init(fileID: fileID, line: line))
        for name in arranged.unmarked {
            logger.warning(
                """
                \(name) ends before the tasks of the error bus, so a task that uses it fails. List it before \
                errors.tasks, or mark it with endingBeforeTasks().
                """, file: fileID, function: "", line: line)
        }
        var configuration = self
        configuration.services = arranged.parts
        return configuration
    }
}
