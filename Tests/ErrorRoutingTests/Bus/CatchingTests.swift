import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 17: catching, rethrowing, task, and catching scopes post thrown errors, but no cancellations",
    .tags(.promise17, .promise22), .hangLimit)
struct CatchingTests {}

extension CatchingTests {
    private struct Client: Sendable {
        func send(_ number: Int) throws { if number < 0 { throw Numbered(number) } }
        func count() throws -> Int { 3 }
    }

    @Test("catching posts a thrown error and returns nil or false; otherwise it returns the body's result or true")
    func catching() async {
        let recorded = await withRecordedErrors { bus in
            expectNil(await bus.catching(metadata: ["try": "1"]) { try await fail(1) })
            expectNil(bus.catching { try failNow(2) })
            expect(
                await bus.catching {
                    await Task.yield(); return 5
                }, equals: 5)
            expect(bus.catching { 6 }, equals: 6)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2])
        expect(recorded.reports.map(\.metadata), equals: [["try": "1"], [:]])
        let line: UInt = #line
        expect(recorded.reports.map(\.source.line), equals: [line - 10, line - 9])

        // For a body that doesn't return a value, the result shows whether the body succeeded.
        let client = Client()
        let sent = await withRecordedErrors { bus in
            #expect(bus.catching { try client.send(1) })
            #expect(!bus.catching { try client.send(-1) })
            #expect(
                await bus.catching {
                    await Task.yield()
                    try client.send(2)
                })
            let isSent: Bool = await bus.catching {
                await Task.yield()
                try client.send(-2)
            }
            #expect(!isSent)
            // An unused result doesn't cause a warning.
            bus.catching { try client.send(-3) }
        }
        expect(sent.matches(of: .type(Numbered.self)).map(\.number), equals: [-1, -2, -3])
    }

    @Test("an optional result, even of optional chaining, isn't wrapped in another optional")
    func optionals() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let missing: Int? = nil
            let later = await bus.catching {
                await Task.yield(); return missing
            }
            let now = bus.catching { missing }
            #expect(type(of: later) == Int?.self)
            expectNil(later)
            #expect(type(of: now) == Int?.self)
            expectNil(now)
        }

        let (client, none) = (Client() as Client?, nil as Client?)
        await withErrorBus(handler: ErrorHandler()) { bus in
            let count = bus.catching { try Client().count() }
            #expect(type(of: count) == Int?.self)
            expect(count, equals: 3)
            let sent: Void? = bus.catching { try client?.send(1) }
            #expect(sent != nil)
            expectNil(bus.catching { try none?.send(1) })
            let later = await bus.catching {
                await Task.yield()
                return try Client().count()
            }
            #expect(type(of: later) == Int?.self)
            expect(later, equals: 3)
        }
    }

    @Test("rethrowing posts a thrown error and throws it again, with its static type")
    func rethrowing() async {
        let line: UInt = #line + 4
        let recorded = await withRecordedErrors { bus in
            do throws(Numbered) {
                // This compiles only if a typed error stays typed.
                try await bus.rethrowing(metadata: ["try": "1"]) { () async throws(Numbered) in throw Numbered(1) }
            } catch {
                expect(error.number, equals: 1)
            }
            #expect(throws: Numbered(2)) { try bus.rethrowing { try failNow(2) } }
            // A body that doesn't throw needs no `try`.
            expect(bus.rethrowing { 5 }, equals: 5)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2])
        expect(recorded.reports.first?.metadata, equals: ["try": "1"])
        expect(recorded.reports.first?.source.line, equals: line)
    }

    @Test("each of them posts a CancellationError as a notice if the task wasn't cancelled")
    func cancellationIsNoticed() async {
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
            // A cancellation that is posted directly is treated like any other error.
            bus.post(CancellationError())
        }
        expect(recorded.reports.map(\.role), equals: Array(repeating: .notice, count: 5) + [.failure])
    }

    @Test("metadata is computed only for posted errors, on the caller's actor")
    @MainActor func lazyMetadata() async {
        var computed = 0
        func metadata() -> [String: String] {
            MainActor.assertIsolated()
            computed += 1
            return ["number": "\(computed)"]
        }
        let recorded = await withRecordedErrors { bus in
            bus.catching(metadata: metadata()) {}
            await bus.catching(metadata: metadata()) { await Task.yield() }
            _ = bus.rethrowing(metadata: metadata()) { 1 }
            expect(computed, equals: 0)
            bus.catching(metadata: metadata()) { throw Numbered(1) }
            await bus.catching(metadata: metadata()) {
                await Task.yield()
                throw Numbered(2)
            }
            let _: Int? = catchingErrors(metadata: metadata()) { throw Numbered(3) }
        }
        expect(recorded.reports.map { $0.metadata["number"] }, equals: ["1", "2", "3"])
    }

    @Test("no error is lost in a task, even a cancelled one: it is posted before the task's value is available")
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

        let gate = Gate()
        let cancelled = await withRecordedErrors { bus in
            let task = bus.task {
                do { try await gate.waitUnlessCancelled() } catch { throw Numbered(1) }
            }
            task.cancel()
        }
        cancelled.expectReported(.value(Numbered(1)), count: 1)
    }

    @Test("tasks inherit their caller's actor, begin on it in order, and catching keeps it")
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

    @Test("a task that is cancelled before it begins, or starts after tasks were cancelled, begins cancelled")
    @MainActor func cancelledBeforeItBegins() async {
        let bus = ErrorBus(handler: ErrorHandler())
        for _ in 0..<200 {
            var wasCancelled = false
            let task = bus.task { wasCancelled = Task.isCancelled }
            task.cancel()
            await task.value
            #expect(wasCancelled)
        }

        let journal = Journal<Bool>()
        // Don't use the main actor, because a task couldn't begin too early there.
        let root = Task { @concurrent in
            await withErrorBus(handler: ErrorHandler()) { bus in
                await eventually("the root task is cancelled") { Task.isCancelled }
                for _ in 0..<200 { bus.task { journal.note(Task.isCancelled) } }
            }
        }
        root.cancel()
        await root.value
        expect(journal.entries, equals: Array(repeating: true, count: 200))
    }

    private func fail(_ number: Int) async throws -> Int { throw Numbered(number) }
    private func failNow(_ number: Int) throws -> Int { throw Numbered(number) }
}
