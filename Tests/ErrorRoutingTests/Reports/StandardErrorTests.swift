import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 25: standard error delays neither callers, nor workers, nor a shutdown, and has the last posts",
    .tags(.promise25), .hangLimit)
struct StandardErrorTests {}

extension StandardErrorTests {
    @Test("a post after finish, or without a bus, returns even if standard error isn't read")
    func postAfterFinish() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            let bus = ErrorBus(handler: ErrorHandler())
            bus.finish()
            for number in 0..<100 { bus.post(Numbered(number)) }
            expect(bus.statistics.dropped, equals: 100)
            #expect(stage.lines(100).allSatisfy { $0.contains("the bus has finished") })

            _ = stage.fill()
            for number in 0..<100 { postError(Numbered(number)) }
            let lines = stage.lines(100)
            for number in 0..<100 { #expect(lines[number].contains("Numbered(number: \(number))")) }
        }
    }

    @Test("a shutdown returns the remaining reports, and writes failures, even if standard error isn't read")
    func shutdown() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let stage = StandardErrorStage.pipe()
            _ = stage.fill()
            let (entered, gate, returned) = (Gate(), Gate(), Gate())
            let handler = ErrorHandler.standardError
                .on(Numbered(11)) { _ in
                    entered.open()
                    await gate.wait()
                    returned.open()
                    return .stop
                }
                .on(Numbered(11)) { _ in throw Numbered(0) }
            var bus: ErrorBus? = ErrorBus(handler: handler)
            let watched = Weak(bus)
            let running = Task { [bus] in await bus?.run() }
            for number in 1...13 { bus?.post(Numbered(number)) }
            // The worker wrote ten lines to a pipe that doesn't accept them, and continued.
            await entered.wait()
            let left = await bus?.shutdown(within: .zero)
            expect(left?.map { $0.error as? Numbered }, equals: [Numbered(11), Numbered(12), Numbered(13)])
            await running.value
            let lines = stage.lines(11)
            expect(lines.count, equals: 11)
            expect(lines.last?.contains("type=ErrorRouting.ActionFailure"), equals: true)
            // A search for leaks would find the abandoned worker's objects unless the worker has ended.
            gate.open()
            bus = nil
            await eventually("the abandoned worker has ended and released the bus") { watched.object == nil }
        }
    }

    @Test("an error that is posted right before exit is written")
    func exiting() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            postError(Numbered(1))
            exit(0)
        }
        expect(result.standardErrorLines.count, equals: 1)
        expect(result.standardErrorLines.first?.contains("Numbered(number: 1)"), equals: true)
    }

    @Test("an error that is posted right before a trap is written", .onLinux("elsewhere a thread writes to a pipe"))
    func trapping() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            postError(Numbered(1))
            fatalError("as this test wants it")
        }
        expect(result.standardErrorLines.first?.contains("Numbered(number: 1)"), equals: true)
    }
}
