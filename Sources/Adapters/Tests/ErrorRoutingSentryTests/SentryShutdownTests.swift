import ErrorRouting
import ErrorRoutingLifecycle
import ErrorRoutingTesting
import Foundation
import InMemoryLogging
import Logging
import ServiceLifecycle
import Testing

@testable import ErrorRoutingSentry

@Suite("A Sentry sink ends within its limit, and counts the events that it couldn't send", .timeLimit(.minutes(2)))
struct SentryShutdownTests {
    private let handler = InMemoryLogHandler()
    private var logger: Logger { Logger(label: "shop") { [handler] _ in handler } }
    private var lines: [String] { handler.entries.map { "\($0.message)" } }

    private func report() -> ErrorReport {
        ErrorReport(
            error: OrderError.unpaid, source: .init(), outcome: HandleOutcome(disposition: .unmatched))
    }

    /// Runs a body as a service and shuts the group down when the body has returned.
    private func runGroup(
        _ services: [any Service], reportingTo errors: ErrorBusService?, _ body: @escaping @Sendable () async -> Void
    ) async throws {
        struct Body: Service {
            let body: @Sendable () async -> Void

            func run() async { await body() }
        }
        var configuration = ServiceGroupConfiguration(
            services: (services + [Body(body: body)]).map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            }, logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        if let errors { configuration = configuration.reporting(to: errors) }
        try await ServiceGroup(configuration: configuration).run()
    }

    @Test func `a service's bus sends all events before it ends, even errors that it couldn't deliver`() async throws {
        let handler = handler
        try await FakeSentry.withServer { server in
            let sink = try SentrySink(dsn: server.dsn)
            let stuck = Gate()
            let rules = ErrorHandler().on(Placed.self) { _ in
                await stuck.wait()
                return .stop
            }
            let errors = ErrorBusService(
                handler: rules, logger: Logger(label: "shop") { _ in handler }, limits: .init(delivery: .seconds(1)),
                sinks: [sink])
            // This post comes before the group runs.
            errors.bus.post(OrderError.unpaid)
            try await runGroup([], reportingTo: errors) {
                for _ in 0..<3 { errors.bus.post(OrderError.outOfStock(item: "tea")) }
                errors.bus.post(Placed())
            }
            stuck.open()
            #expect(sink.statistics.sent == 5 && server.events.count == 5)
            #expect(lines.contains("Sentry: received: 5, sent: 5, discarded: 0, failed: 0, pending: 0"))
        }
    }

    @Test func `a server that hangs doesn't keep a service from ending within the limit, and lost events are counted`()
        async throws
    {
        let handler = handler
        try await FakeSentry.withServer({ _, _ in .hang }) { server in
            let sink = try SentrySink(dsn: server.dsn)
            let errors = ErrorBusService(
                handler: ErrorHandler(), logger: Logger(label: "shop") { _ in handler },
                limits: .init(delivery: .milliseconds(300)), sinks: [sink])
            let begin = ContinuousClock.now
            try await runGroup([], reportingTo: errors) {
                for _ in 0..<10 { errors.bus.post(OrderError.unpaid) }
                await server.waitForRequests(1)
            }
            // The client's own limit is ten seconds.
            #expect(begin.duration(to: .now) < .seconds(8))
            let counts = "received: 10, sent: 0, discarded: 9 (shutdown 9), failed: 1 (network_error 1), pending: 0"
            #expect(lines.contains("Sentry: \(counts)"), "\(lines)")
            #expect(sink.statistics.description == counts)
        }
    }

    @Test func `as its own service it sends what was received before the shutdown, and then logs the counts`()
        async throws
    {
        let (handler, report) = (handler, report())
        try await FakeSentry.withServer { server in
            let sink = try SentrySink(
                dsn: server.dsn, configuration: .init(logger: Logger(label: "sentry") { _ in handler }))
            try await runGroup([sink], reportingTo: nil) { for _ in 0..<5 { sink.receive(report) } }
            #expect(lines == ["Sentry: received: 5, sent: 5, discarded: 0, failed: 0, pending: 0"])
        }
    }

    @Test func `closing waits even if the caller is cancelled, and closing again returns the same`() async throws {
        let report = report()
        try await FakeSentry.withServer { server in
            let sink = try SentrySink(dsn: server.dsn)
            sink.start()
            for _ in 0..<5 { sink.receive(report) }
            let isCancelled = Gate()
            let closing = Task {
                await isCancelled.wait()
                return await sink.close(within: .seconds(60))
            }
            closing.cancel()
            isCancelled.open()
            let text = await closing.value
            #expect(text == "Sentry: received: 5, sent: 5, discarded: 0, failed: 0, pending: 0")
            #expect(await sink.close(within: .seconds(60)) == text)
            sink.start()
            sink.receive(report)
            #expect(sink.statistics.reasons == [.shutdown: 1])
        }
    }

    @Test func `a sink that was never started sends nothing, and closes immediately`() async throws {
        let sink = try SentrySink(dsn: "http://key@127.0.0.1:1/1")
        sink.receive(report())
        #expect(
            await sink.close(within: .seconds(600))
                == "Sentry: received: 1, sent: 0, discarded: 1 (shutdown 1), failed: 0, pending: 0")
    }

    @Test func `user code that never returns doesn't keep the sink from closing`() async throws {
        let (stuck, report) = (DispatchSemaphore(value: 0), report())
        defer { stuck.signal() }
        let isCalled = Gate()
        let sink = try SentrySink(
            dsn: "http://key@127.0.0.1:1/1",
            configuration: .init(beforeSend: { event, _ in
                isCalled.open()
                stuck.wait()
                return event
            }))
        sink.start()
        sink.receive(report)
        await isCalled.wait()
        await sink.close(within: .milliseconds(50))
        #expect(sink.statistics.reasons == [.networkError: 1])
    }

    @Test func `at exit the counts of a sink that wasn't closed are written to standard error`() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(0), observing: [\.standardErrorContent]
        ) {
            let sink = try SentrySink(dsn: "http://key@127.0.0.1:1/1")
            for _ in 0..<3 {
                sink.receive(
                    ErrorReport(
                        error: OrderError.unpaid, source: .init(), outcome: HandleOutcome(disposition: .unmatched)))
            }
            let closed = try SentrySink(dsn: "http://key@127.0.0.1:1/1")
            await closed.close(within: .zero)
            withExtendedLifetime(sink) { exit(0) }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        let line = "Sentry, at exit: received: 3, sent: 0, discarded: 0, failed: 0, pending: 3\n"
        #expect(text.contains(line) && text.components(separatedBy: "Sentry, at exit").count == 2, "\(text)")
    }
}
