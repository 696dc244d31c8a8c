import ErrorRouting
import FaultServer
import Logging
import ServiceLifecycle
import Testing

extension FaultLab.ServiceLab {
    /// Why the bus is around the services, and none of them.
    @Suite("A bus that is a service by itself")
    struct BareServiceTests {
        private struct Anything: Error {}

        private struct Bare: Service {
            let bus: ErrorBus
            let isAskedToEnd: Watched<Bool>

            func run() async throws {
                await withGracefulShutdownHandler {
                    await bus.run()
                } onGracefulShutdown: {
                    isAskedToEnd.update { $0 = true }
                }
            }
        }

        @Test func `it goes on when it is asked to end, and ends when it is cancelled`() async throws {
            let bus = ErrorBus(handler: ErrorHandler().on(Anything.self) { _ in .stop })
            let isAskedToEnd = Watched(false)
            let logger = Logger(label: "none") { _ in SwiftLogNoOpLogHandler() }
            let group = ServiceGroup(services: [Bare(bus: bus, isAskedToEnd: isAskedToEnd)], logger: logger)
            let running = Task { try await group.run() }
            #expect(await bus.deliver(Anything()).disposition == .handled)
            await group.triggerGracefulShutdown()
            try await isAskedToEnd.wait { $0 }
            // It has been told, and takes what is posted as before.
            #expect(await bus.deliver(Anything()).disposition == .handled)
            running.cancel()
            _ = await running.result
            #expect(await bus.deliver(Anything()).disposition == .dropped)
        }
    }
}
