import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Behaviour 15: withErrorBus returns when its tasks have ended and all is delivered",
    .tags(.behaviour15), .hangLimit)
struct WithErrorBusTests {}

extension WithErrorBusTests {
    @Test("it binds the current bus for the body and all that it starts")
    func bindsCurrent() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            #expect(ErrorBus.current === bus)
            await Task { #expect(ErrorBus.current === bus) }.value
            async let child = ErrorBus.current === bus
            #expect(await child)
        }
        expectNil(ErrorBus.current)
    }

    @Test("it returns only when its tasks have ended, those included that tasks start, and all is delivered")
    func waitsForTasks() async {
        let journal = Journal<Int>()
        let gate = Gate()
        let handler = ErrorHandler.noting(journal).on(Numbered(1)) { _ in
            gate.open()
            return .next
        }
        await withErrorBus(handler: handler) { bus in
            bus.task {
                bus.task {
                    await gate.wait()
                    throw Numbered(2)
                }
                throw Numbered(1)
            }
        }
        expect(journal.entries, equals: [1, 2])
    }

    @Test("it returns what the body returns, and needs no try where the body does not throw")
    func answersTheBody() async {
        let answer = await withErrorBus(handler: ErrorHandler()) { _ in 42 }
        expect(answer, equals: 42)
    }

    @Test("it throws what the body throws, typed, after cancelling and awaiting its tasks")
    func throwingBody() async {
        let journal = Journal<Int>()
        let gate = Gate()
        await #expect(throws: Numbered(1)) {
            try await withErrorBus(handler: .noting(journal)) { bus async throws(Numbered) in
                bus.task {
                    do { try await gate.waitUnlessCancelled() } catch { throw Numbered(2) }
                }
                throw Numbered(1)
            }
        }
        // The body's own error is thrown to whoever waits; it is not posted.
        expect(journal.entries, equals: [2])
    }

    @Test("cancelling the body cancels its tasks, and what they throw is still delivered")
    func cancelledBody() async {
        let journal = Journal<Int>()
        let (started, gate) = (Gate(), Gate())
        let root = Task {
            await withErrorBus(handler: .noting(journal)) { bus in
                _ = bus.task {
                    started.open()
                    do { try await gate.waitUnlessCancelled() } catch { throw Numbered(1) }
                }
            }
        }
        await started.wait()
        root.cancel()
        await root.value
        expect(journal.entries, equals: [1])
    }

    @Test("a task started after the cancellation is cancelled at once")
    func lateTask() async {
        let journal = Journal<Bool>()
        let (started, gate) = (Gate(), Gate())
        let root = Task {
            await withErrorBus(handler: ErrorHandler()) { bus in
                started.open()
                await gate.wait()
                await bus.task { journal.note(Task.isCancelled) }.value
                bus.task {
                    // Cancelled from outside, so perhaps only after it has begun.
                    while !Task.isCancelled { await Task.yield() }
                    journal.note(Task.isCancelled)
                }
            }
        }
        await started.wait()
        root.cancel()
        gate.open()
        await root.value
        expect(journal.entries.last, equals: true)
        expect(journal.entries.count, equals: 2)
    }

    @Test("the body keeps its caller's isolation, and may use what is not Sendable")
    @MainActor func keepsIsolation() async {
        final class Counter { var count = 0 }
        let counter = Counter()
        await withErrorBus(handler: ErrorHandler()) { bus in
            MainActor.assertIsolated()
            counter.count += 1
            await bus.catching {
                await Task.yield()
                MainActor.assertIsolated()
                counter.count += 1
            }
        }
        expect(counter.count, equals: 2)
    }

    @Test("the body may finish the bus, and a shutdown in it takes back what hangs")
    func shutdownInBody() async {
        let gate = Gate()
        let handler = ErrorHandler().on(Numbered(1)) { _ in
            await gate.wait()
            return .stop
        }
        let left = await withErrorBus(handler: handler) { bus in
            bus.post(Numbered(1))
            bus.post(Numbered(2))
            return await bus.shutdown(within: .zero)
        }
        expect(left.compactMap { ($0.error as? Numbered)?.number }, equals: [1, 2])
        gate.open()
    }

    @Test("cancelling run means finish and drain")
    func cancellingRun() async {
        let journal = Journal<Int>()
        let bus = ErrorBus(handler: .noting(journal))
        for number in 0..<100 { bus.post(Numbered(number)) }
        let run = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await bus.run()
        }
        await run.value
        expect(journal.entries, equals: Array(0..<100))
        expect(bus.statistics.pending, equals: 0)
    }

    @Test("run returns at once on a bus that was finished with nothing to deliver")
    func runAfterFinish() async {
        let bus = ErrorBus(handler: ErrorHandler())
        bus.finish()
        bus.finish()
        await bus.run()
        expect(bus.statistics, equals: ErrorBus.Statistics())
    }
}
