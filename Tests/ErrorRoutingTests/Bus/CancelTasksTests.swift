import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 15: cancelTasks waits for tasks, then cancels them, then continues without them",
    .tags(.promise15), .hangLimit)
struct CancelTasksTests {}

extension CancelTasksTests {
    @Test("cancelTasks returns when the tasks and their own tasks have ended, and doesn't cancel any")
    func endInTime() async {
        let (journal, gate) = (Journal<Int>(), Gate())
        await withErrorBus(handler: .noting(journal), configuration: .init(clock: ManualClock())) { bus in
            bus.task {
                bus.task {
                    await gate.wait()
                    throw Numbered(Task.isCancelled ? 3 : 2)
                }
                throw Numbered(1)
            }
            async let allEnded = bus.cancelTasks(after: .seconds(3))
            gate.open()
            #expect(await allEnded)
            // None of the tasks was cancelled, and a task that starts now isn't cancelled either.
            await bus.task { throw Numbered(Task.isCancelled ? 5 : 4) }.value
        }
        // The first two run concurrently, so either might throw first.
        expect(journal.entries.count, equals: 3)
        expect(Set(journal.entries.prefix(2)), equals: [1, 2])
        expect(journal.entries.last, equals: 4)
    }

    @Test("at its limit, or immediately, cancelTasks cancels the tasks; the errors that they then throw are delivered")
    func cancelled() async {
        let (journal, clock, gate) = (Journal<Int>(), ManualClock(), Gate())
        await withErrorBus(handler: Self.notingCauses(journal), configuration: .init(clock: clock)) { bus in
            bus.task { do { try await gate.waitUnlessCancelled() } catch { throw Numbered(1) } }
            async let allEnded = bus.cancelTasks(after: .seconds(3))
            await clock.waitForSleepers()
            expect(journal.entries, equals: [])
            clock.advance(by: .seconds(3))
            #expect(await allEnded)
            // From now on tasks are cancelled as they start.
            await bus.task { throw Numbered(Task.isCancelled ? 2 : 3) }.value
        }
        expect(journal.entries, equals: [1, 2])

        let (other, never) = (Journal<Int>(), Gate())
        await withErrorBus(handler: Self.notingCauses(other)) { bus in
            bus.task { do { try await never.waitUnlessCancelled() } catch { throw Numbered(1) } }
            #expect(await bus.cancelTasks(after: .zero, waitingUpTo: .seconds(300)))
        }
        expect(other.entries, equals: [1])
    }

    @Test(
        "after the grace period, neither cancelTasks nor withErrorBus waits for a task that ignores its cancellation")
    func continues() async {
        let (journal, clock, posted, gate) = (Journal<Int>(), ManualClock(), Gate(), Gate())
        let task = await withErrorBus(handler: .noting(journal), configuration: .init(clock: clock)) { bus in
            let task = bus.task {
                bus.post(Numbered(1))
                posted.open()
                await gate.wait()
            }
            // A task that starts after the grace period posts to a bus that has finished.
            await posted.wait()
            async let allEnded = bus.cancelTasks(after: .seconds(3), waitingUpTo: .seconds(1))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            #expect(await !allEnded)
            return task
        }
        expect(journal.entries, equals: [1])
        #expect(task.isCancelled)
        gate.open()
        await task.value
    }

    /// A handler that notes the errors that tasks throw, even if a `TaskCutOff` wraps them.
    private static func notingCauses(_ journal: Journal<Int>) -> ErrorHandler {
        ErrorHandler().on(matching: .causedBy(Numbered.self)) { error in
            journal.note(error.number)
            return .stop
        }
    }

    @Test("a bus without tasks has ended them, whatever the limits; at a limit of zero, later tasks are cancelled")
    func withoutTasks() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            for _ in 0..<500 { #expect(await bus.cancelTasks(after: .seconds(300), waitingUpTo: .zero)) }
            await bus.task { #expect(!Task.isCancelled) }.value
            for _ in 0..<500 { #expect(await bus.cancelTasks(after: .zero, waitingUpTo: .zero)) }
            for _ in 0..<100 { await bus.task { #expect(Task.isCancelled) }.value }
        }
    }

    @Test("cancelTasks returns false to every caller, waiting or later, until the abandoned task has ended")
    func severalCallers() async {
        let (running, gate) = (Gate(), Gate())
        let configuration = ErrorBus.Configuration(clock: ManualClock())
        await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            let task = bus.task {
                running.open()
                await gate.wait()
            }
            await running.wait()
            async let first = bus.cancelTasks(after: .seconds(3))
            async let second = bus.cancelTasks(after: .zero, waitingUpTo: .zero)
            #expect(await !second)
            #expect(await !first)
            #expect(await !bus.cancelTasks(after: .seconds(3)))
            // A task that starts now is waited for, and doesn't affect the other task.
            bus.task { #expect(Task.isCancelled) }
            #expect(await !bus.cancelTasks(after: .seconds(3)))
            gate.open()
            await task.value
            #expect(await bus.cancelTasks(after: .zero, waitingUpTo: .zero))
        }
    }
}
