import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

/// The root is the process's, so what needs one runs in a process of its own.
@Suite(
    "The ambient poster and postError find the bus of the task, else the root, else standard error",
    .tags(.behaviour11, .behaviour15), .hangLimit)
struct AmbientPostingTests {}

extension AmbientPostingTests {
    /// A component as a library would write it.
    private struct Component {
        var errors: any ErrorPosting = .ambient
    }

    @Test("the ambient poster and postError find the bus of the task")
    func bus() async {
        let recorded = await withRecordedErrors { _ in
            postError(Numbered(1), metadata: ["by": "function"])
            Component().errors.post(Numbered(2))
            Component().errors.catching { throw Numbered(3) }
            await Component().errors.task { throw Numbered(4) }.value
            expect(await Component().errors.deliver(Numbered(5)).disposition, equals: .unmatched)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2, 3, 4, 5])
        expect(recorded.reports.first?.metadata, equals: ["by": "function"])
        #expect(recorded.reports.allSatisfy { $0.source.fileID == #fileID })
    }

    @Test("withErrorBus waits for the tasks of the ambient poster too")
    func ambientTasks() async {
        let gate = Gate()
        let recorded = await withRecordedErrors { _ in
            Component().errors.task {
                await gate.wait()
                throw Numbered(1)
            }
            gate.open()
        }
        recorded.expectReported(.value(Numbered(1)), count: 1)
    }

    @Test("threads and detached tasks, which are in no bus's task, reach the root; it resigns when its run returns")
    func root() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            expectNil(ErrorBus.root)
            let bus = ErrorBus(handler: ErrorHandler())
            bus.becomeRoot()
            bus.becomeRoot()
            #expect(ErrorBus.root === bus)
            let reports = bus.reports()
            let running = Task { await bus.run() }
            let gate = Gate()
            Thread.detachNewThread {
                postError(Numbered(1))
                gate.open()
            }
            await gate.wait()
            await Task.detached { postError(Numbered(2)) }.value
            // The bus of a task goes before the root.
            let recorded = await withRecordedErrors { _ in postError(Numbered(3)) }
            recorded.expectReported(.value(Numbered(3)), count: 1)
            bus.finish()
            await running.value
            expect(await reports.collected().map(\.error) as? [Numbered], equals: [Numbered(1), Numbered(2)])
            expectNil(ErrorBus.root)
            // The next one may follow.
            let next = ErrorBus(handler: ErrorHandler())
            next.becomeRoot()
            #expect(ErrorBus.root === next)
        }
    }

    @Test("where there is no bus and no root, an error goes to standard error")
    func noBus() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            postError(Numbered(1))
            let outcome = await AmbientErrorPosting().deliver(Numbered(2))
            expect(outcome.disposition, equals: .unmatched)
            await Component().errors.task { throw Numbered(3) }.value
        }
        let lines = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        expect(lines.split(separator: "\n").count, equals: 3)
        for number in 1...3 { #expect(lines.contains("Numbered(number: \(number))")) }
    }
}
