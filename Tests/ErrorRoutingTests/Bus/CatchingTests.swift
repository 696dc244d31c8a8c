import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Behaviour 17: catching, rethrowing and task post what is thrown, but no cancellation",
    .tags(.behaviour17), .hangLimit)
struct CatchingTests {}

extension CatchingTests {
    @Test("catching posts what is thrown and returns nil, else what was returned")
    func catching() async {
        let recorded = await withRecordedErrors { bus in
            expectNil(await bus.catching { try await fail(1) })
            expectNil(bus.catching { try failNow(2) })
            expect(
                await bus.catching {
                    await Task.yield(); return 5
                }, equals: 5)
            expect(bus.catching { 6 }, equals: 6)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2])
    }

    @Test("an optional stays an optional, and is not wrapped in another")
    func optionals() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let missing: Int? = nil
            let later = await bus.catching {
                await Task.yield(); return missing
            }
            let now = bus.catching { missing }
            #expect(type(of: later) == Int?.self && later == nil)
            #expect(type(of: now) == Int?.self && now == nil)
        }
    }

    @Test("rethrowing posts what is thrown and throws it on, typed")
    func rethrowing() async {
        let line: UInt = #line + 4
        let recorded = await withRecordedErrors { bus in
            do throws(Numbered) {
                // A typed error stays typed, or this would not compile.
                try await bus.rethrowing(metadata: ["try": "1"]) { () async throws(Numbered) in throw Numbered(1) }
            } catch {
                expect(error.number, equals: 1)
            }
            #expect(throws: Numbered(2)) { try bus.rethrowing { try failNow(2) } }
            // Nothing thrown, nothing to try.
            expect(bus.rethrowing { 5 }, equals: 5)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2])
        expect(recorded.reports.first?.metadata, equals: ["try": "1"])
        expect(recorded.reports.first?.source.line, equals: line)
    }

    @Test("CancellationError is posted by none of them")
    func cancellationIsNotPosted() async {
        let recorded = await withRecordedErrors { bus in
            await bus.catching {
                await Task.yield()
                throw CancellationError()
            }
            bus.catching { throw CancellationError() }
            await #expect(throws: CancellationError.self) {
                try await bus.rethrowing {
                    await Task.yield()
                    throw CancellationError()
                }
            }
            #expect(throws: CancellationError.self) {
                try bus.rethrowing { throw CancellationError() }
            }
            await bus.task { throw CancellationError() }.value
            // Posted as it is, it is an error like any other.
            bus.post(CancellationError())
        }
        expect(recorded.statistics.posted, equals: 1)
    }

    @Test("no error dies in a task: it is posted, and the task's value comes after that")
    func task() async {
        let recorded = await withRecordedErrors { bus in
            let line: UInt = #line + 1
            let task = bus.task(name: "intake", metadata: ["order": "17"]) { throw Numbered(1) }
            await task.value
            expect(bus.statistics.posted, equals: 1)
            bus.post(Numbered(Int(line)))
        }
        expect(
            recorded.reports.first?.source.line,
            equals: recorded.matches(of: .type(Numbered.self)).last.map { UInt($0.number) })
        expect(recorded.reports.first?.metadata, equals: ["order": "17"])
    }

    @Test("cancelling a task cancels its operation")
    func cancellingATask() async {
        let gate = Gate()
        let recorded = await withRecordedErrors { bus in
            let task = bus.task {
                do { try await gate.waitUnlessCancelled() } catch { throw Numbered(1) }
            }
            task.cancel()
        }
        recorded.expectReported(.value(Numbered(1)), count: 1)
    }

    @Test("a task inherits its caller's actor, and tasks of one actor begin in order")
    @MainActor func taskIsolation() async {
        final class Log { var numbers: [Int] = [] }
        let log = Log()
        await withErrorBus(handler: ErrorHandler()) { bus in
            for number in 0..<50 {
                bus.task {
                    MainActor.assertIsolated()
                    log.numbers.append(number)
                }
            }
        }
        expect(log.numbers, equals: Array(0..<50))
    }

    @Test("an actor's own isolation carries through catching and task")
    func actorIsolation() async {
        actor Till {
            var count = 0

            func work(on bus: ErrorBus) async {
                await bus.catching {
                    await Task.yield()
                    count += 1
                }
                bus.catching { count += 1 }
                await bus.task { self.count += 1 }.value
                bus.catching {
                    count += 1
                    throw Numbered(count)
                }
            }
        }
        let till = Till()
        let recorded = await withRecordedErrors { bus in await till.work(on: bus) }
        recorded.expectReported(.value(Numbered(4)), count: 1)
    }

    private func fail(_ number: Int) async throws -> Int { throw Numbered(number) }
    private func failNow(_ number: Int) throws -> Int { throw Numbered(number) }
}

@Suite("Behaviour 17: a task that is cancelled early begins cancelled", .tags(.behaviour17), .hangLimit)
struct TaskCancellationTests {}

extension TaskCancellationTests {
    @Test("a task that is cancelled before it could begin begins cancelled")
    @MainActor func cancelledBeforeItBegins() async {
        let bus = ErrorBus(handler: ErrorHandler())
        for _ in 0..<200 {
            var wasCancelled = false
            let task = bus.task { wasCancelled = Task.isCancelled }
            task.cancel()
            await task.value
            #expect(wasCancelled)
        }
    }

    @Test("a task that is started where the bus's tasks were cancelled begins cancelled")
    func startedInACancelledBody() async {
        let journal = Journal<Bool>()
        let root = Task {
            await withErrorBus(handler: ErrorHandler()) { bus in
                while !Task.isCancelled { await Task.yield() }
                for _ in 0..<200 { bus.task { journal.note(Task.isCancelled) } }
            }
        }
        root.cancel()
        await root.value
        expect(journal.entries, equals: Array(repeating: true, count: 200))
    }
}
