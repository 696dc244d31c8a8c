public import ErrorRoutingLifecycle
public import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
public import ServiceLifecycle
public import UnixSignals

extension ApplicationProtocol {
    /// Runs the application and its services until SIGTERM, and stops them so that no error is lost.
    ///
    /// It replaces `runService()`; the application and its tests don't change:
    ///
    /// ```swift
    /// let errors = ErrorBusService(handler: rules, logger: logger)
    /// let app = try await buildApplication()
    /// try await app.runService(reportingTo: errors)
    /// ```
    ///
    /// The services that were added to the application, and the processes that run before the server starts, start as
    /// with `runService()`. On SIGTERM, the server stops when the last request has been answered. Then the bus's tasks
    /// end, followed by the application's services, from the last to the first, the bus, and the exporters. See
    /// ``ErrorBusService`` for the time limits.
    ///
    /// Each service and the application run in the bus, and post their errors in scopes with their names. If one of
    /// them fails, the others stop in the same order, while `runService()` would cancel all of them. The error is then
    /// thrown.
    ///
    /// - Parameters:
    ///   - errors: The bus that receives the errors.
    ///   - exporters: The services that send logs, metrics, and traces. Don't add them to the application, which stops
    ///     before the bus.
    ///   - gracefulShutdownSignals: The signals that shut the application down.
    ///   - fileID: The file in the source of a failing service's report.
    ///   - line: The line in the source of a failing service's report.
    /// - Throws: The first error of a service or of the application.
    public func runService(
        reportingTo errors: ErrorBusService,
        exporters: [any Service] = [],
        gracefulShutdownSignals: [UnixSignal] = [.sigterm, .sigint],
        fileID: String = #fileID,
        line: UInt = #line
    ) async throws {
        let server = ServiceGroupConfiguration.ServiceConfiguration(
            service: ApplicationWithoutServices(application: self).endingBeforeTasks(),
            serviceName: String("\(Self.self)".prefix { $0 != "<" }))
        let configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) } + [server],
            gracefulShutdownSignals: gracefulShutdownSignals, logger: logger)
        let group = configuration.reporting(to: errors, exporters: exporters, fileID: fileID, line: line)
        try await ServiceGroup(configuration: group).run()
    }
}

/// An application without its services, which the service group runs.
private struct ApplicationWithoutServices<Base: ApplicationProtocol>: ApplicationProtocol {
    typealias Responder = Base.Responder

    let application: Base

    var responder: Responder { get async throws { try await application.responder } }
    var server: HTTPServerBuilder { application.server }
    var eventLoopGroup: any EventLoopGroup { application.eventLoopGroup }
    var configuration: ApplicationConfiguration { application.configuration }
    var logger: Logger { application.logger }
    var services: [any Service] { [] }
    var processesRunBeforeServerStart: [@Sendable () async throws -> Void] { application.processesRunBeforeServerStart }

    @Sendable func onServerRunning(_ channel: any Channel) async { await application.onServerRunning(channel) }
}
