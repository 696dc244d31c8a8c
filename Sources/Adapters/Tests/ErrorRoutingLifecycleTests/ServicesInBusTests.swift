import ErrorRouting
import ErrorRoutingLifecycle
import ErrorRoutingTesting
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@Suite("Services in a bus", .serialized, .timeLimit(.minutes(2)))
struct ServicesInBusTests {
    private struct Broken: Error, Equatable { let name: String }

    /// A service that breaks as it is told to end.
    private struct Fragile: Service {
        let name: String
        let isRunning: Gate

        func run() async throws {
            isRunning.open()
            try await gracefulShutdown()
            throw Broken(name: name)
        }
    }

    /// A service that ends only when it is cancelled, with that as a cause.
    private struct Stuck: Service {
        struct Stopped: Error, UnderlyingErrors { let underlyingErrors: [any Error] }

        let isRunning: Gate

        func run() async throws {
            isRunning.open()
            do { try await Task.sleep(for: .seconds(600)) } catch { throw Stopped(underlyingErrors: [error]) }
        }
    }

    private let logger = Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }

    /// Runs services, tells them to end once all gates are open, and returns what was posted, and what `run` threw.
    private func run(
        until gates: [Gate],
        limit: Duration = .seconds(20),
        _ makeServices: @escaping @Sendable () async throws -> [any Service]
    ) async -> (posted: [any Error], thrown: (any Error)?) {
        let posted = Mutex<[any Error]>([])
        let handler = ErrorHandler().always { error in
            posted.withLock { $0.append(error) }
            return .next
        }
        var services = ServicesInBus(handler: handler, logger: logger, makeServices)
        services.limits.services = limit
        let group = ServiceGroup(services: [services], logger: logger)
        async let end: Void = group.run()
        for gate in gates { await gate.wait() }
        await group.triggerGracefulShutdown()
        var thrown: (any Error)?
        do { try await end } catch { thrown = error }
        return (posted.withLock { $0 }, thrown)
    }

    @Test func `each that breaks as they end is told, and the first is thrown`() async {
        let gates = [Gate(), Gate()]
        let (posted, thrown) = await run(until: gates) {
            [Fragile(name: "first", isRunning: gates[0]), Fragile(name: "second", isRunning: gates[1])]
        }
        #expect(posted.map { $0 as? Broken } == [Broken(name: "second"), Broken(name: "first")])
        #expect(thrown as? Broken == Broken(name: "second"))
    }

    @Test func `one that the limit cancels ends as it should, also if it wraps its cancellation`() async {
        let isRunning = Gate()
        let (posted, thrown) = await run(until: [isRunning], limit: .milliseconds(1)) { [Stuck(isRunning: isRunning)] }
        #expect(posted.isEmpty && thrown == nil)
    }

    @Test func `a signal while they are made cancels that, and is no error`() async {
        let isMaking = Gate()
        let (posted, thrown) = await run(until: [isMaking]) {
            isMaking.open()
            try await Task.sleep(for: .seconds(600))
            return []
        }
        #expect(posted.isEmpty && thrown == nil)
    }
}
