import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Behaviour 15: endTasks waits for the bus's tasks, cancels those that take longer, and waits no longer than that",
    .tags(.behaviour15), .hangLimit)
struct EndTasksTests {}

extension EndTasksTests {
    @Test("it returns when the tasks have ended, those included that tasks start, and cancels none")
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
            async let allEnded = bus.endTasks(within: .seconds(3))
            gate.open()
            #expect(await allEnded)
            // None of the tasks was cancelled, and one that starts now is not either.
            await bus.task { throw Numbered(Task.isCancelled ? 5 : 4) }.value
        }
        // The first two run side by side: which of them throws first is nobody's promise.
        #expect(journal.entries.count == 3 && Set(journal.entries.prefix(2)) == [1, 2] && journal.entries.last == 4)
    }

    @Test("at the limit it cancels the tasks, and what they throw then is still delivered")
    func cancelled() async {
        let (journal, clock, gate) = (Journal<Int>(), ManualClock(), Gate())
        await withErrorBus(handler: .noting(journal), configuration: .init(clock: clock)) { bus in
            bus.task { do { try await gate.waitUnlessCancelled() } catch { throw Numbered(1) } }
            async let allEnded = bus.endTasks(within: .seconds(3))
            await clock.waitForSleepers()
            expect(journal.entries, equals: [])
            clock.advance(by: .seconds(3))
            #expect(await allEnded)
            // From now on tasks are cancelled as they start.
            await bus.task { throw Numbered(Task.isCancelled ? 2 : 3) }.value
        }
        expect(journal.entries, equals: [1, 2])
    }

    @Test("a limit of zero cancels the tasks at once")
    func zero() async {
        let (journal, gate) = (Journal<Int>(), Gate())
        await withErrorBus(handler: .noting(journal)) { bus in
            bus.task { do { try await gate.waitUnlessCancelled() } catch { throw Numbered(1) } }
            #expect(await bus.endTasks(within: .zero, grace: .seconds(300)))
        }
        expect(journal.entries, equals: [1])
    }

    @Test("after the grace neither it nor withErrorBus waits for a task that goes on in spite of its cancellation")
    func goesOn() async {
        let (journal, clock, gate) = (Journal<Int>(), ManualClock(), Gate())
        let task = await withErrorBus(handler: .noting(journal), configuration: .init(clock: clock)) { bus in
            let task = bus.task {
                bus.post(Numbered(1))
                await gate.wait()
            }
            async let allEnded = bus.endTasks(within: .seconds(3), grace: .seconds(1))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            #expect(await !allEnded)
            return task
        }
        #expect(journal.entries == [1] && task.isCancelled)
        gate.open()
        await task.value
    }
}
