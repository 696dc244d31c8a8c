import ErrorRouting
import ErrorRoutingLifecycle
import ErrorRoutingTesting
import InMemoryLogging
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@Suite("A bus runs and ends as a service", .timeLimit(.minutes(2)))
struct ErrorBusServiceTests {
    private struct Broken: Error, Equatable { let name: String }

    /// The events in order.
    private final class Events: Sendable {
        private let state = Mutex<[String]>([])

        var all: [String] { state.withLock { $0 } }

        func add(_ event: String) { state.withLock { $0.append(event) } }
    }

    /// A service that runs a closure.
    private struct Running: Service {
        let body: @Sendable () async throws -> Void

        init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

        func run() async throws { try await body() }
    }

    /// A service that fails when it is shut down.
    private struct Fragile: Service {
        let isRunning: Gate

        func run() async throws {
            isRunning.open()
            try await gracefulShutdown()
            throw Broken(name: "fragile")
        }
    }

    /// A service that ends only when it is cancelled, with the cancellation as a cause.
    private struct Stuck: Service {
        struct Stopped: Error, UnderlyingErrorsProviding { let underlyingErrors: [any Error] }

        let isRunning: Gate

        func run() async throws {
            isRunning.open()
            do { try await Task.sleep(for: .seconds(600)) } catch { throw Stopped(underlyingErrors: [error]) }
        }
    }

    private let logger = Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }

    /// Creates a bus whose rules note each error with its scope.
    private func bus(
        noting events: Events, logger: Logger? = nil, configuration: ErrorBus.Configuration = .init(),
        limits: ErrorBusService.ShutdownLimits = .init()
    ) -> ErrorBusService {
        let handler = ErrorHandler().always { error, report in
            events.add("\(error) in \(report.scope)")
            return .next
        }
        return ErrorBusService(
            handler: handler, logger: logger ?? self.logger, configuration: configuration, limits: limits)
    }

    private func group(_ services: [any Service]) -> ServiceGroup {
        let services = services.map {
            ServiceGroupConfiguration.ServiceConfiguration(
                service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup)
        }
        return ServiceGroup(configuration: .init(services: services, logger: logger))
    }

    /// Runs services, shuts them down once all gates are open, and returns the group's error.
    private func run(_ services: [any Service], until gates: [Gate]) async -> (any Error)? {
        let group = group(services)
        async let end: Void = group.run()
        for gate in gates { await gate.wait() }
        await group.triggerGracefulShutdown()
        do { try await end } catch { return error }
        return nil
    }

    @Test func `the application ends, then the tasks, the services that they need, the bus, and the exporter`() async {
        let (events, isServing, hasServed) = (Events(), Gate(), Gate())
        let errors = bus(noting: events)
        let exporter = Running {
            try? await gracefulShutdown()
            events.add("exporter")
        }
        let client = Running {
            try? await gracefulShutdown()
            postError(Broken(name: "client"))
            events.add("client")
        }
        let application = Running {
            // The bus is bound here, so this task is one of the bus's tasks.
            let errors: any ErrorPosting = .ambient
            errors.task {
                await hasServed.wait()
                throw Broken(name: events.all.contains("client") ? "task without client" : "task")
            }
            isServing.open()
            try? await gracefulShutdown()
            events.add("application")
            hasServed.open()
        }
        let thrown = await run(
            [exporter, errors, errors.watching(client), errors.tasks, errors.watching(application)],
            until: [isServing])
        #expect(thrown == nil)
        let all = events.all
        #expect(all.first == "application" && all.last == "exporter", "\(all)")
        let errorsOfBoth = ["task", "client"].map { #"Broken(name: "\#($0)") in []"# }
        #expect(Set(all) == Set(["application", "client", "exporter"] + errorsOfBoth))
        #expect(errors.bus.statistics.posted == 2 && errors.bus.statistics.unmatched == 2)
    }

    @Test func `a service's error is posted with its source, in a scope with the service's name, and rethrown`() async {
        let (events, isRunning) = (Events(), Gate())
        let errors = bus(noting: events)
        let sources = Mutex<[ErrorReport.Source]>([])
        errors.bus.observeUntilEnd { report in sources.withLock { $0.append(report.source) } }
        let watched: any Service = errors.watching(Fragile(isRunning: isRunning))
        let line = #line - 1
        #expect(await run([errors, errors.tasks, watched], until: [isRunning]) as? Broken == Broken(name: "fragile"))
        let other: any Service = bus(noting: events).watching(Fragile(isRunning: isRunning), as: "other")
        #expect("\(watched) \(other)" == "Fragile other")
        #expect(events.all == [#"Broken(name: "fragile") in ["Fragile"]"#])
        #expect(sources.withLock { $0.map(\.line) } == [UInt(line)])
    }

    @Test func `a service that is cancelled at its limit ends without an error, even if it wraps the cancellation`()
        async
    {
        let (events, isRunning, clock) = (Events(), Gate(), ManualClock())
        let errors = bus(noting: events, configuration: .init(clock: clock))
        async let thrown = run(
            [errors, errors.watching(Stuck(isRunning: isRunning), endingWithin: .seconds(5))], until: [isRunning])
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(await thrown == nil)
        #expect(events.all.isEmpty)
    }

    @Test func `a group error's kind is its code`() {
        let errors: [any Error] =
            [
                ServiceGroupError.alreadyRunning(), .alreadyFinished(), .serviceFinishedUnexpectedly(),
            ] as [ServiceGroupError]
        let kinds = errors.map { ErrorReport(error: $0, source: .init()).kindName }
        #expect(kinds == ["alreadyRunning", "alreadyFinished", "serviceFinishedUnexpectedly"])
    }

    @Test func `limits that no clock can express count as the longest ones`() async {
        let (events, isRunning) = (Events(), Gate())
        let errors = bus(noting: events, limits: .init(tasks: .seconds(Int64.max), delivery: .seconds(Int64.max)))
        let watched = errors.watching(Fragile(isRunning: isRunning), endingWithin: .seconds(Int64.max))
        #expect(await run([errors, errors.tasks, watched], until: [isRunning]) is Broken)
        #expect(events.all.count == 1)
    }

    @Test func `a cancellation that was not requested is posted`() async {
        let events = Events()
        let errors = bus(noting: events)
        let application = Running { throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await group([errors, errors.watching(application)]).run() }
        #expect(events.all.count == 1)
    }

    @Test func `two buses at the same time each receive the errors of the application that they watch`() async {
        let (first, second) = (Events(), Events())
        let names = ["first", "second"]
        let gates = [Gate(), Gate()]
        let buses = [bus(noting: first), bus(noting: second)]
        await withTaskGroup { group in
            for (number, errors) in buses.enumerated() {
                group.addTask {
                    let application = Running {
                        gates[number].open()
                        await gates[1 - number].wait()
                        for _ in 0..<10 { postError(Broken(name: names[number])) }
                    }
                    _ = await run([errors, errors.tasks, errors.watching(application)], until: gates)
                }
            }
        }
        for (name, events) in [("first", first), ("second", second)] {
            #expect(events.all == Array(repeating: #"Broken(name: "\#(name)") in []"#, count: 10))
        }
    }

    @Test func `after a cancellation the bus accepts errors for a second, and until its tasks have ended`() async {
        let (events, isRunning, clock) = (Events(), Gate(), ManualClock())
        let errors = bus(noting: events, configuration: .init(clock: clock))
        let taskMayEnd = Gate()
        errors.bus.task {
            isRunning.open()
            await taskMayEnd.wait()
            throw Broken(name: "task")
        }
        let running = Task { [group = group([errors, errors.tasks])] in try await group.run() }
        await isRunning.wait()
        running.cancel()
        // Three timers are sleeping: one for the bus's last second, and one per service for the limit on its tasks.
        await clock.waitForSleepers(3)
        errors.bus.post(Broken(name: "first"))
        clock.advance(by: .seconds(1))
        // The bus's last second has passed, but the task hasn't ended.
        #expect(await errors.bus.deliver(Broken(name: "second")).disposition == .unmatched)
        taskMayEnd.open()
        _ = await running.result
        #expect(await errors.bus.deliver(Broken(name: "third")).disposition == .dropped)
        let posted = ["first", "second"].map { #"Broken(name: "\#($0)") in []"# }
        #expect(events.all == posted + ["a task was cancelled at once in []"])
    }

    @Test func `a task that ignores its cancellation keeps a cancelled bus for five seconds`() async {
        let (events, isRunning, clock) = (Events(), Gate(), ManualClock())
        let errors = bus(noting: events, configuration: .init(clock: clock))
        let never = Gate()
        errors.bus.task {
            isRunning.open()
            await never.wait()
        }
        let running = Task { [group = group([errors])] in try await group.run() }
        await isRunning.wait()
        running.cancel()
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(4.9))
        #expect(await errors.bus.deliver(Broken(name: "late")).disposition == .unmatched)
        clock.advance(by: .seconds(0.1))
        _ = await running.result
        #expect(await errors.bus.deliver(Broken(name: "too late")).disposition == .dropped)
        never.open()
    }

    @Test func `the service waits for a task that a rule starts for the last errors`() async {
        let (events, isServing) = (Events(), Gate())
        let handler = ErrorHandler().on(Broken.self) { error in
            postingTask {
                try await Task.sleep(for: .milliseconds(1))
                events.add("notified of \(error.name)")
            }
            return .stop
        }
        let errors = ErrorBusService(handler: handler, logger: logger)
        let application = Running {
            isServing.open()
            try? await gracefulShutdown()
        }
        let exporter = Running { try? await gracefulShutdown() }
        let last = Running {
            try? await gracefulShutdown()
            errors.bus.post(Broken(name: "last"))
        }
        _ = await run([exporter, errors, last, errors.tasks, errors.watching(application)], until: [isServing])
        #expect(events.all == ["notified of last"])
    }

    @Test func `errors that miss the deadline are logged as pending, and the counts are the last entry`() async {
        let store = InMemoryLogHandler()
        let logger = Logger(label: "errors") { _ in store }
        let (isWaiting, never) = (Gate(), Gate())
        let handler = ErrorHandler().on(Broken.self) { _ async in
            isWaiting.open()
            await never.wait()
            return .stop
        }
        let errors = ErrorBusService(handler: handler, logger: logger, limits: .init(delivery: .milliseconds(1)))
        for name in ["first", "second"] { errors.bus.post(Broken(name: name)) }
        _ = await run([errors, errors.tasks], until: [isWaiting])
        never.open()
        #expect(store.entries.dropLast().map { $0.metadata["error.disposition"] } == ["pending", "pending"])
        #expect(store.entries.dropLast().allSatisfy { $0.level == .error })
        #expect(store.entries.last.map { "\($0.message)" }?.hasPrefix("posted 2 = ") == true)
    }

    @Test func `each task that a shutdown cuts off is logged, and the last entry shows their number`() async {
        let store = InMemoryLogHandler()
        let logger = Logger(label: "errors") { _ in store }
        let errors = ErrorBusService(handler: ErrorHandler(), logger: logger, limits: .init(tasks: .milliseconds(1)))
        let areRunning = (0..<5).map { _ in Gate() }
        let stuck = Gate()
        for (number, isRunning) in areRunning.enumerated() {
            errors.bus.task(name: "webhook \(number)") {
                isRunning.open()
                // The last task ignores its cancellation.
                if number == 4 { await stuck.wait() } else { try await Task.sleep(for: .seconds(600)) }
            }
        }
        errors.bus.task { try? await Task.sleep(for: .seconds(600)) }
        _ = await run([errors, errors.tasks], until: areRunning)
        let entries = store.entries
        let cutOffs = entries.dropLast().filter { "\($0.metadata["exception.type"] ?? "")".hasSuffix("TaskCutOff") }
        #expect(cutOffs.count == 5)
        #expect(cutOffs.allSatisfy { $0.level == .error })
        for number in 0..<5 { #expect(cutOffs.contains { "\($0.message)".contains("the task webhook \(number) was") }) }
        let last = entries.last.map { "\($0.message)" } ?? ""
        #expect(last.hasPrefix("posted 5 = "))
        #expect(last.hasSuffix("; tasks cut off: 5"))
        stuck.open()
    }

    @Test func `the bus is the root from its creation until it has ended`() async {
        await #expect(processExitsWith: .success) {
            let logger = Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
            let errors = ErrorBusService(handler: ErrorHandler(), logger: logger)
            #expect(ErrorBus.root === errors.bus)
            let group = ServiceGroup(services: [errors], logger: logger)
            async let end: Void = group.run()
            _ = await errors.bus.deliver(CancellationError())
            await group.triggerGracefulShutdown()
            try await end
            #expect(ErrorBus.root == nil)
        }
    }
}
