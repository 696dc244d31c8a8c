import ErrorRouting
import ErrorRoutingTesting
import Synchronization
import TestSupport
import Testing

/// The process has one root, so each test that needs a root runs in a separate process.
@Suite("The newest root receives the posts, and a second run waits", .tags(.promise11, .promise15), .hangLimit)
struct RootsTests {}

extension RootsTests {
    @Test("when the newest root ends, the previous root that is still running becomes the root again")
    func newest() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            await withErrorBus(handler: ErrorHandler(), asRoot: true) { first in
                #expect(ErrorBus.root === first)
                await withErrorBus(handler: ErrorHandler(), asRoot: true) { second in
                    #expect(ErrorBus.root === second)
                    first.becomeRoot()
                    #expect(ErrorBus.root === second, "it is a root already")
                    await withErrorBus(handler: ErrorHandler(), asRoot: true) { third in
                        second.finish()
                        await second.run(ending: true)
                        #expect(ErrorBus.root === third)
                    }
                    #expect(ErrorBus.root === first, "the second has ended")
                    second.becomeRoot()
                    #expect(ErrorBus.root === first)
                }
            }
            expectNil(ErrorBus.root)
        }
    }

    @Test("a bus that is bound for a body, not the root or a scope, receives the posts of the body and of its tasks")
    func bound() async {
        struct Late: Error {}
        let (outer, bus) = (ErrorBus(handler: ErrorHandler()), ErrorBus(handler: ErrorHandler()))
        await outer.scope("outer").bound {
            await bus.bound {
                #expect(ErrorBus.current === bus)
                expectNil(ErrorScope.current)
                postError(Late())
                await Task { postError(Late()) }.value
                await #expect(throws: Late.self) { try await bus.bound { () async throws(Late) in throw Late() } }
            }
            #expect(ErrorBus.current === outer)
            postError(Late())
        }
        expect(bus.statistics.posted, equals: 2)
        expect(outer.statistics.posted, equals: 1)
        for bus in [outer, bus] { _ = await bus.shutdown(within: .zero) }
    }

    @Test("a root without another owner stays alive while it is the newest, and is deallocated after that")
    func weak() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            weak var forgotten: ErrorBus?
            do {
                let bus = ErrorBus(handler: ErrorHandler())
                bus.becomeRoot()
                forgotten = bus
            }
            #expect(forgotten != nil && ErrorBus.root === forgotten)
            await withErrorBus(handler: ErrorHandler(), asRoot: true) { bus in
                expectNil(forgotten)
                #expect(ErrorBus.root === bus)
            }
            expectNil(ErrorBus.root)
        }
    }

    @Test("after roots come and go in many tasks, the remaining one is the root")
    func contention() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            await withErrorBus(handler: ErrorHandler(), asRoot: true) { staying in
                await withTaskGroup { group in
                    for _ in 0..<8 {
                        group.addTask { @concurrent in
                            for number in 0..<200 {
                                await withErrorBus(handler: ErrorHandler(), asRoot: true) { _ in
                                    ErrorBus.root?.post(Numbered(number))
                                }
                            }
                        }
                    }
                }
                #expect(ErrorBus.root === staying)
            }
            expectNil(ErrorBus.root)
        }
    }

    @Test("a second run waits for the end, and its cancellation finishes the bus")
    func secondRun() async {
        let (bus, gate) = (ErrorBus(handler: ErrorHandler()), Gate())
        let first = Task { await bus.run() }
        let second = Task {
            gate.open()
            await bus.run()
        }
        await gate.wait()
        bus.post(Numbered(1))
        second.cancel()
        await second.value
        await first.value
        expect(bus.statistics.unmatched, equals: 1)
        await bus.run()
    }

    @Test("a run in the bus's body, task, child task, or action returns immediately, with a line to the last resort")
    func runWithin() async {
        let lines = Journal<String>()
        let configuration = ErrorBus.Configuration(lastResort: LastResort { lines.note($0) })
        let handler = ErrorHandler().on(Numbered.self) { _ async in
            await ErrorBus.current?.run()
            return .stop
        }
        await withErrorBus(handler: handler, configuration: configuration) { bus in
            await bus.run()
            async let child: Void = bus.run()
            await child
            await bus.task { await bus.run() }.value
            await bus.scope("scope").task { await bus.run() }.value
            await bus.deliver(Numbered(1))
            // A detached task doesn't inherit the task-local mark of the bus's own work, but a bus task sets it.
            await Task.detached { await bus.task { await bus.run() }.value }.value
        }
        expect(lines.entries.count, equals: 6)
        #expect(
            lines.entries.allSatisfy { $0.contains("run() was called within the bus's own body, tasks or actions") })
    }
}

extension ErrorBus {
    /// Waits for the end from outside the bus's own body.
    fileprivate func run(ending: Bool) async { await Task.detached { await self.run() }.value }
}
