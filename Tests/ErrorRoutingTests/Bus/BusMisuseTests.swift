import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite("Programming errors stop the program, and say which value or call it was", .hangLimit)
struct BusMisuseTests {
    @Test("a capacity below 1 stops the program")
    func capacity() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 0))
        }
        expect(result, says: "capacity must be at least 1, not 0")
    }

    @Test("a negative time limit stops the program")
    func timeLimit() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = ErrorBus(handler: ErrorHandler(), configuration: .init(actionTimeLimit: .seconds(-1)))
        }
        expect(result, says: "actionTimeLimit must not be negative, but is -1.0 seconds")
    }

    @Test("a flood limit with a negative count stops the program")
    func floodLimitFirst() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = FloodLimit(first: -1, per: .seconds(1))
        }
        expect(result, says: "FloodLimit(first:per:): first must not be negative, but is -1")
    }

    @Test("a flood limit with an empty or negative window stops the program")
    func floodLimitWindow() async {
        let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = FloodLimit(first: 1, per: .zero)
        }
        expect(none, says: "FloodLimit(first:per:): the window must be positive, but is 0.0 seconds")
        let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = FloodLimit(first: 1, per: .milliseconds(-1))
        }
        expect(negative, says: "FloodLimit(first:per:): the window must be positive, but is -0.001 seconds")
    }

    @Test("a filtered observer that buffers nothing stops the program")
    func filteredObserverBuffer() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = ErrorBus(handler: ErrorHandler()).reports(matching: .type(Numbered.self), bufferingNewest: -1)
        }
        expect(result, says: "reports(bufferingNewest:) must be at least 1, not -1")
    }

    @Test("an observer that buffers nothing stops the program")
    func observerBuffer() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = ErrorBus(handler: ErrorHandler()).reports(bufferingNewest: 0)
        }
        expect(result, says: "reports(bufferingNewest:) must be at least 1, not 0")
    }

    @Test("a second run at the same time stops the program")
    func secondRun() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let gate = Gate()
            let handler = ErrorHandler().on(Numbered(1)) { _ in
                gate.open()
                return .stop
            }
            let bus = ErrorBus(handler: handler)
            bus.post(Numbered(1))
            let first = Task { await bus.run() }
            await gate.wait()
            await bus.run()
            await first.value
        }
        expect(result, says: "ErrorBus.run() was called while the bus runs already")
    }

    @Test("a run after the run has ended stops the program")
    func runAgain() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let bus = ErrorBus(handler: ErrorHandler())
            bus.finish()
            await bus.run()
            await bus.run()
        }
        expect(result, says: "ErrorBus.run() was called again after it had returned")
    }

    @Test("a second root stops the program")
    func secondRoot() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let first = ErrorBus(handler: ErrorHandler())
            first.becomeRoot()
            ErrorBus(handler: ErrorHandler()).becomeRoot()
        }
        expect(result, says: "another bus is the root")
    }

    @Test("a root that has ended stops the program")
    func endedRoot() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let bus = ErrorBus(handler: ErrorHandler())
            bus.finish()
            bus.becomeRoot()
        }
        expect(result, says: "this bus has ended")
    }

    private func expect(
        _ result: ExitTest.Result?,
        says message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(output.contains(message), sourceLocation: sourceLocation)
    }
}
