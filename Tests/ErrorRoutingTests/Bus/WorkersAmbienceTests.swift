import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Promise 12: actions inherit no task-local value and no priority", .tags(.promise12), .hangLimit)
struct WorkersAmbienceTests {
    enum Request {
        @TaskLocal static var id: String?
    }
}

extension WorkersAmbienceTests {
    private static func noting(_ seen: Journal<String?>) -> ErrorHandler {
        ErrorHandler().on(Numbered.self) { _ async in
            await Task.yield()
            seen.note(Request.id)
            return .stop
        }
    }

    @Test("neither the task that runs the bus, nor withErrorBus's caller, nor the posting task passes them on")
    func run() async {
        let seen = Journal<String?>()
        let bus = ErrorBus(handler: Self.noting(seen))
        bus.post(Numbered(1))
        bus.finish()
        await Request.$id.withValue("run") { await bus.run() }
        await Request.$id.withValue("body") {
            await withErrorBus(handler: Self.noting(seen)) { bus in bus.post(Numbered(2)) }
        }
        expect(seen.entries, equals: [nil, nil])
    }

    @Test("neither does a task that flushes or shuts down, in a worker that the timer starts")
    func flush() async {
        let (seen, clock, entered) = (Journal<String?>(), WatchedClock(), Gate())
        let handler = ErrorHandler()
            .ignore(ActionFailure.self)
            .on(Numbered.self) { error async throws in
                if error.number == 0 {
                    entered.open()
                    try await Gate().waitUnlessCancelled()
                } else {
                    seen.note(Request.id)
                }
                return .stop
            }
        let configuration = ErrorBus.Configuration(actionTimeLimit: .seconds(10), clock: clock)
        await withErrorBus(handler: handler, configuration: configuration) { bus in
            bus.post(Numbered(0))
            await entered.wait()
            let flushed = Task { @concurrent in
                await Request.$id.withValue("flush") { await bus.flush(within: .seconds(1)) }
            }
            // The bus has one timer, which the flush sets again. Only the deadline shows whose timer it is.
            await clock.waitForSleeper(until: .seconds(1))
            clock.base.advance(by: .seconds(1))
            expect(await flushed.value, equals: false)
            clock.base.advance(by: .seconds(9))
            await bus.deliver(Numbered(1))
        }
        expect(seen.entries, equals: [nil])
    }

    @Test("an action's tasks have the default priority, whatever the priority of the task that runs the bus")
    func priority() async {
        let seen = Journal<UInt8>()
        let handler = ErrorHandler().on(Numbered.self) { _ async in
            await Task.yield()
            seen.note((Task.basePriority ?? .background).rawValue)
            return .stop
        }
        for priority in [TaskPriority.background, .high] {
            await Task(priority: priority) { @concurrent in
                await withErrorBus(handler: handler) { bus in bus.post(Numbered(1)) }
            }.value
        }
        expect(Set(seen.entries).count, equals: 1)
    }
}

/// A manual clock that returns the deadlines of its sleepers.
private struct WatchedClock: Clock {
    let base = ManualClock()
    private let start = ManualClock().now
    private let sleeps = AsyncStream.makeStream(of: Duration.self)

    var now: ManualClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.continuation.yield(start.duration(to: deadline))
        try await base.sleep(until: deadline, tolerance: tolerance)
    }

    func waitForSleeper(until deadline: Duration) async {
        for await known in sleeps.stream where known == deadline { return }
    }
}
