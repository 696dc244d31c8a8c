import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 17: a task that a time limit cuts off is posted, once, before the bus finishes",
    .tags(.promise17), .hangLimit)
struct TaskCutOffTests {
    /// A handler that notes each cut-off task, and each other error, as a string.
    private static func noting(_ journal: Journal<String>) -> ErrorHandler {
        ErrorHandler()
            .onNoMatch { error, report in
                journal.note("\(report.role.name): \(error)")
                return .stop
            }
            .on(TaskCutOff.self) { cutOff, report in
                let cause = cutOff.cause.map { "\($0)" } ?? "no error"
                journal.note("\(cutOff.name ?? "-") after \(cutOff.limit), \(cause), \(report.metadata["id"] ?? "-")")
                expect(cutOff.source, equals: report.source)
                return .stop
            }
    }

    @Test("an error that a task throws after the limit cancelled it is posted as cut off, even a cancellation")
    func throwsAfterLimit() async {
        let (journal, clock, gate) = (Journal<String>(), ManualClock(), Gate())
        await withErrorBus(handler: Self.noting(journal), configuration: .init(clock: clock)) { bus in
            bus.task(name: "webhook", metadata: ["id": "7"]) { try await gate.waitUnlessCancelled() }
            async let allEnded = bus.cancelTasks(after: .seconds(3))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3))
            #expect(await allEnded)
            // The bus cancels a task that starts from now on, so that task is cut off too.
            await bus.task { throw URLError(.cancelled) }.value
            await bus.task { throw Numbered(1) }.value
            await bus.task {}.value
        }
        expect(journal.entries.count, equals: 3)
        expect(journal.entries.first, equals: "webhook after 3.0 seconds, CancellationError(), 7")
        #expect(journal.entries.allSatisfy { $0.contains("after 3.0 seconds") })
        expect(journal.entries.last, equals: "- after 3.0 seconds, Numbered(number: 1), -")
    }

    @Test("a task that ends in time, is cancelled by its owner, or returns nevertheless, isn't cut off")
    func isNotCutOff() async {
        let (journal, clock, gate) = (Journal<String>(), ManualClock(), Gate())
        await withErrorBus(handler: Self.noting(journal), configuration: .init(clock: clock)) { bus in
            await bus.task { throw Numbered(1) }.value
            let owned = bus.task {
                await gate.wait()
                try Task.checkCancellation()
            }
            owned.cancel()
            bus.task { try? await Gate().waitUnlessCancelled() }
            async let allEnded = bus.cancelTasks(after: .seconds(3), waitingUpTo: .seconds(300))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3))
            await clock.waitForSleepers()
            gate.open()
            #expect(await allEnded)
        }
        expect(journal.entries, equals: ["failure: Numbered(number: 1)"])
    }

    @Test("if a body throws, or its task is cancelled, no limit cuts its tasks off")
    func bodyThrows() async {
        let journal = Journal<String>()
        await #expect(throws: Numbered(9)) {
            try await withErrorBus(handler: Self.noting(journal)) { bus in
                bus.task { try await Gate().waitUnlessCancelled() }
                throw Numbered(9)
            }
        }
        expect(journal.entries, equals: [])
    }

    @Test("a task that ignores its cancellation is posted without an error; an error that it throws later is a line")
    func neverEnds() async {
        let (journal, lines, gate) = (Journal<String>(), Journal<String>(), Gate())
        let configuration = ErrorBus.Configuration(
            clock: ManualClock(), lastResort: LastResort { lines.note($0) })
        let task = await withErrorBus(handler: Self.noting(journal), configuration: configuration) { bus in
            let task = bus.scope("mail").task(name: "mail", metadata: ["id": "8"]) {
                await gate.wait()
                throw Numbered(2)
            }
            #expect(await !bus.cancelTasks(after: .zero, waitingUpTo: .zero))
            #expect(await !bus.cancelTasks(after: .zero, waitingUpTo: .zero))
            return task
        }
        // The task was posted once, before the bus finished.
        expect(journal.entries, equals: ["mail after 0.0 seconds, no error, 8"])
        gate.open()
        await task.value
        expect(journal.entries.count, equals: 1)
        expect(lines.entries.count, equals: 1)
        #expect(lines.entries.first?.contains("Numbered") == true)
        #expect(lines.entries.first?.contains("its task was cut off before") == true)
    }

    @Test("of tasks that throw just as the bus stops waiting for them, each is reported exactly once")
    func race() async {
        for _ in 0..<200 {
            let (journal, lines) = (Journal<String>(), Journal<String>())
            let configuration = ErrorBus.Configuration(lastResort: LastResort { lines.note($0) })
            let tasks = await withErrorBus(handler: Self.noting(journal), configuration: configuration) { bus in
                let tasks = (0..<8).map { number in
                    bus.task(name: "\(number)") {
                        await eventually("the bus cancels task \(number)") { Task.isCancelled }
                        throw Numbered(number)
                    }
                }
                await bus.cancelTasks(after: .zero, waitingUpTo: .zero)
                return tasks
            }
            for task in tasks { await task.value }
            let reported = journal.entries.compactMap { $0.split(separator: " ").first.map(String.init) }
            expect(reported.sorted(), equals: (0..<8).map { "\($0)" })
            // Each error that was thrown after the bus had stopped waiting is one line.
            let late = journal.entries.count { $0.contains("no error") }
            expect(lines.entries.count, equals: late)
        }
    }

    @Test("a rule that starts a task for each error isn't called endlessly for tasks that are cut off")
    func rulesTasks() async {
        let (journal, lines) = (Journal<String>(), Journal<String>())
        let configuration = ErrorBus.Configuration(lastResort: LastResort { lines.note($0) })
        let paging = ErrorHandler().onNoMatch { error in
            journal.note("\(error)")
            postingTask(name: "pager") { try await Gate().waitUnlessCancelled() }
            return .stop
        }
        await withErrorBus(handler: paging, configuration: configuration) { bus in
            bus.task(name: "mail") { try await Gate().waitUnlessCancelled() }
            #expect(await bus.cancelTasks(after: .zero, waitingUpTo: .seconds(300)))
        }
        expect(journal.entries, equals: ["the task mail was cancelled at once"])
        expect(lines.entries.count, equals: 1)
        #expect(lines.entries.first?.contains("the task pager was cancelled at once") == true)
    }

    @Test("nor is a rule that binds the bus again before it starts the task")
    func bindsAgain() async {
        let (journal, lines) = (Journal<String>(), Journal<String>())
        let configuration = ErrorBus.Configuration(lastResort: LastResort { lines.note($0) })
        let paging = ErrorHandler().onNoMatch { error in
            journal.note("\(error)")
            // Without the check, each task would lead to another one.
            if journal.entries.count > 3 { return .stop }
            await ErrorBus.current?.bound {
                _ = postingTask(name: "pager") { try await Gate().waitUnlessCancelled() }
            }
            return .stop
        }
        await withErrorBus(handler: paging, configuration: configuration) { bus in
            bus.task(name: "mail") { try await Gate().waitUnlessCancelled() }
            #expect(await bus.cancelTasks(after: .zero, waitingUpTo: .seconds(300)))
        }
        expect(journal.entries, equals: ["the task mail was cancelled at once"])
        expect(lines.entries.count, equals: 1)
    }

    @Test("a task that other tasks start while a cut-off task is handled is posted like any other task")
    func othersTasks() async {
        let (journal, isHandling, gate) = (Journal<String>(), Gate(), Gate())
        let slow = ErrorHandler().on(TaskCutOff.self) { cutOff in
            journal.note(cutOff.name ?? "")
            isHandling.open()
            await gate.wait()
            return .stop
        }
        await withErrorBus(handler: slow) { bus in
            bus.task(name: "first") { try await Gate().waitUnlessCancelled() }
            await bus.cancelTasks(after: .zero, waitingUpTo: .seconds(300))
            await isHandling.wait()
            await bus.task(name: "second") { try Task.checkCancellation() }.value
            gate.open()
        }
        expect(journal.entries, equals: ["first", "second"])
    }

    @Test("the description names the task and its limit")
    func description() {
        let source = ErrorReport.Source(fileID: "App/Mail.swift", line: 7)
        let texts = [
            TaskCutOff(name: "mail", source: source, limit: .seconds(3), cause: CancellationError()),
            TaskCutOff(name: nil, source: source, limit: .zero),
        ].map(\.description)
        expect(
            texts,
            equals: [
                "the task mail was cancelled at its time limit of 3.0 seconds",
                "a task was cancelled at once, and didn't end",
            ])
    }
}
