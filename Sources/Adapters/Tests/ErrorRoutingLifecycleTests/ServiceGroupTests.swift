import ErrorRouting
import ErrorRoutingLifecycle
import ErrorRoutingTesting
import InMemoryLogging
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@Suite("A service group that reports to a bus ends in order", .timeLimit(.minutes(2)))
struct ServiceGroupTests {
    private struct Broken: Error, Equatable {}

    /// The events in order.
    private final class Events: Sendable {
        private let state = Mutex<[String]>([])

        var all: [String] { state.withLock { $0 } }

        func add(_ event: String) { state.withLock { $0.append(event) } }
    }

    /// A service that notes its end, and runs a closure before that.
    private struct Client: Service {
        let name: String
        let events: Events
        var isRunning = Gate()
        var end: @Sendable () async throws -> Void = {}

        func run() async throws {
            isRunning.open()
            try? await gracefulShutdown()
            try await end()
            events.add(name)
        }
    }

    /// A service that returns or throws when its gate opens.
    private struct Worker: Service {
        let mayEnd: Gate
        var error: Broken?

        func run() async throws {
            await mayEnd.wait()
            if let error { throw error }
        }
    }

    private let log = InMemoryLogHandler()
    private let events = Events()

    private var logger: Logger { Logger(label: "services") { _ in log } }

    private func bus(
        noting other: Events? = nil, limits: ErrorBusService.ShutdownLimits = .init(),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> ErrorBusService {
        let events = other ?? events
        let handler = ErrorHandler().always { error, report in
            events.add("\(report.kindName ?? "\(error)") in \(report.scope)")
            return .next
        }
        return ErrorBusService(
            handler: handler, logger: Logger(label: "errors") { _ in SwiftLogNoOpLogHandler() },
            configuration: .init(clock: clock), limits: limits)
    }

    /// Runs a group, shuts it down once the gate opens, and returns its error.
    private func run(_ group: ServiceGroup, until gate: Gate) async -> (any Error)? {
        async let end: Void = group.run()
        await gate.wait()
        await group.triggerGracefulShutdown()
        do { try await end } catch { return error }
        return nil
    }

    private var warnings: [String] { log.entries.filter { $0.level == .warning }.map { "\($0.message)" } }
}

extension ServiceGroupTests {
    @Test func `the marked services end first, then the tasks, the other services, the bus, and the exporters`() async {
        let (errors, events) = (bus(), events)
        let (isServing, hasServed) = (Gate(), Gate())
        let exporter = Client(name: "exporter", events: events)
        let client = Client(name: "client", events: events) { postError(Broken()) }
        let worker = Client(name: "worker", events: events)
        let server = Client(name: "server", events: events, isRunning: isServing) { hasServed.open() }
        errors.bus.task {
            await hasServed.wait()
            events.add("task")
        }
        let group = ServiceGroup(
            services: [client, server.endingBeforeTasks(), worker], reportingTo: errors, exporters: [exporter],
            logger: logger)
        #expect(await run(group, until: isServing) == nil)
        let all = events.all
        // The order of the first two events varies, because the task waits for the server's end.
        #expect(Set(all.prefix(2)) == ["server", "task"], "\(all)")
        #expect(all.dropFirst(2) == ["worker", "client", "Broken() in []", "exporter"], "\(all)")
        #expect(warnings.isEmpty)
    }

    @Test func `without a mark, the last service ends before the tasks, and a warning names it`() async {
        let (errors, isRunning) = (bus(), Gate())
        let services = ["client", "server"].map { Client(name: $0, events: events, isRunning: isRunning) }
        let group = ServiceGroup(services: services, reportingTo: errors, logger: logger)
        #expect(await run(group, until: isRunning) == nil)
        #expect(events.all == ["server", "client"])
        #expect(warnings.count == 1 && warnings[0].hasPrefix("Client ends before the tasks of the error bus"))
    }

    @Test func `a listed bus and listed tasks keep their positions, and a warning names services after the tasks`()
        async
    {
        let (errors, isRunning) = (bus(), Gate())
        let services: [any Service] = [
            Client(name: "exporter", events: events), errors, Client(name: "client", events: events), errors.tasks,
            errors.watching(Client(name: "late", events: events), as: "Late"),
            Client(name: "server", events: events, isRunning: isRunning).endingBeforeTasks(),
        ]
        let configuration = ServiceGroupConfiguration(services: services, logger: logger)
        let arranged = configuration.reporting(to: errors)
        #expect(
            arranged.services.map { "\($0.service)" } == [
                "Client", "ErrorBusService", "Client", "ErrorBusService.tasks", "Late", "Client",
            ])
        #expect(await run(ServiceGroup(configuration: arranged), until: isRunning) == nil)
        #expect(events.all == ["server", "late", "client", "exporter"])
        #expect(warnings.count == 1 && warnings[0].hasPrefix("Late ends before the tasks"))
    }

    @Test func `a service that fails or returns is posted with its name, and the others end in order`() async throws {
        for error in [Broken(), nil] {
            let (events, mayEnd) = (Events(), Gate())
            let errors = bus(noting: events, limits: .init(tasks: .milliseconds(1)))
            errors.bus.task { _ = try? await Task.sleep(for: .seconds(600)) }
            let worker = Worker(mayEnd: mayEnd, error: error)
            let server = Client(name: "server", events: events, isRunning: mayEnd).endingBeforeTasks()
            let client = Client(name: "client", events: events)
            let group = ServiceGroup(
                services: [worker, client, server],
                reportingTo: errors, logger: logger)
            let thrown = await #expect(throws: (any Error).self) { try await group.run() }
            #expect(error == nil ? thrown is ServiceGroupError : thrown is Broken)
            let kind = error == nil ? "serviceFinishedUnexpectedly" : "Broken()"
            #expect(Set(events.all.prefix(1)) == ["\(kind) in [\"Worker\"]"], "\(events.all)")
            #expect(events.all.suffix(2) == ["server", "client"])
        }
    }

    @Test func `a watched service is posted once with its name, whether the mark is inside or outside`() async {
        for isOutside in [true, false] {
            let (events, mayEnd) = (Events(), Gate())
            let errors = bus(noting: events)
            let worker = Worker(mayEnd: mayEnd, error: Broken())
            let server: any Service =
                isOutside
                ? errors.watching(worker, as: "Shop").endingBeforeTasks()
                : errors.watching(worker.endingBeforeTasks(), as: "Shop")
            let group = ServiceGroup(
                services: [Client(name: "client", events: events, isRunning: mayEnd), server], reportingTo: errors,
                logger: logger)
            await #expect(throws: Broken()) { try await group.run() }
            #expect(events.all.sorted() == ["Broken() in [\"Shop\"]", "client"], "\(isOutside)")
        }
        #expect(warnings.isEmpty)
    }

    @Test func `a chosen behavior and a chosen name stay`() {
        typealias Part = ServiceGroupConfiguration.ServiceConfiguration
        let parts = [
            Part(
                service: Client(name: "a", events: events), successTerminationBehavior: .ignore,
                failureTerminationBehavior: .ignore, serviceName: "Prices"),
            Part(service: Client(name: "b", events: events).endingBeforeTasks()),
        ]
        let arranged = ServiceGroupConfiguration(services: parts, logger: logger).reporting(to: bus()).services
        #expect(arranged.map { "\($0.service)" } == ["ErrorBusService", "Prices", "ErrorBusService.tasks", "Client"])
        #expect(arranged.map { "\($0.successTerminationBehavior)" }[1] == "ignore")
        #expect(arranged.map { "\($0.failureTerminationBehavior)" }[1] == "ignore")
        #expect(arranged.map { "\($0.successTerminationBehavior)" }[3] == "gracefullyShutdownGroup")
    }

    @Test func `a service that doesn't end is cancelled at its limit, so that the bus still delivers`() async {
        let clock = ManualClock()
        let (errors, isRunning, events) = (bus(limits: .init(services: .seconds(3)), clock: clock), Gate(), events)
        let client = Client(name: "client", events: events) {
            postError(Broken())
            try await Task.sleep(for: .seconds(600))
        }
        let server = Client(name: "server", events: events, isRunning: isRunning).endingBeforeTasks()
        let group = ServiceGroup(services: [client, server], reportingTo: errors, logger: logger)
        async let end = run(group, until: isRunning)
        while !events.all.contains("Broken() in []") { await Task.yield() }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(3))
        #expect(await end == nil)
        #expect(events.all == ["server", "Broken() in []"])
    }
}
