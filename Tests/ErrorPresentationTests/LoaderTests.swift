import ErrorPresentation
import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@MainActor
@Suite("P1: the newest load decides a loader's state", .tags(.presentation1), .hangLimit)
struct LoaderTests {}

extension LoaderTests {
    @Test("it is idle, then loading, then loaded")
    func success() async {
        let (begun, gate) = (Gate(), Gate())
        let loader = Loader(reportingTo: nil) {
            begun.open()
            await gate.wait()
            return 1
        }
        #expect(loader.state.value == nil && !loader.state.isLoading)
        let load = Task { await loader.load() }
        await begun.wait()
        #expect(loader.state.isLoading)
        gate.open()
        await load.value
        #expect(loader.state.value == 1 && loader.latest == 1 && loader.failureCount == 0)
    }

    @Test("a failure is posted once, from where the loader was made, and counted; latest survives it")
    func failure() async throws {
        let (flaky, poster) = (Flaky(failures: 2), RecordingPoster())
        let line: UInt = #line + 1
        let loader = Loader(reportingTo: poster) { try flaky.run() }
        await loader.load()
        expect(loader.state.error as? Plain, equals: Plain("attempt 1 failed"))
        #expect(loader.failureCount == 1 && loader.latest == nil)
        await loader.load()
        expect(loader.failureCount, equals: 2)
        await loader.load()
        #expect(loader.failureCount == 0 && loader.latest == 3)
        flaky.failures = 4
        await loader.load()
        #expect(loader.state.error != nil && loader.latest == 3 && loader.failureCount == 1)
        expect(poster.errors.count, equals: 3)
        expect(poster.sources.first, equals: .init(fileID: #fileID, line: line))
    }

    @Test("typed throws stay typed")
    func typedThrows() async {
        let loader = Loader(reportingTo: nil) { () async throws(Plain) -> [Int] in throw Plain("typed") }
        await loader.load()
        expect(loader.state, equals: .failed(Plain("typed")))
    }

    @Test("the ambient bus of the task that loads gets the failure, by default")
    func ambient() async {
        let recorded = await withRecordedErrors { _ in
            let loader = Loader { () async throws -> Int in throw Plain("ambient") }
            await loader.load()
        }
        recorded.expectReported(.value(Plain("ambient")), count: 1)
    }

    @Test("a search that overtakes itself shows the last query's answer, whatever order they come in")
    func overtaking() async {
        let gates = [Gate(), Gate(), Gate()]
        var queries = 0
        let loader = Loader(reportingTo: nil) {
            let query = queries
            queries += 1
            await gates[query].wait()
            if query == 1 { throw Plain("query 1 failed") }
            return query
        }
        let loads = gates.map { _ in Task { await loader.load() } }
        await waitUntil { queries == 3 }
        gates[0].open()
        await loads[0].value
        #expect(loader.state.isLoading && loader.latest == nil)
        gates[2].open()
        await loads[2].value
        expect(loader.state.value, equals: 2)
        gates[1].open()
        await loads[1].value
        #expect(loader.state.value == 2 && loader.failureCount == 0)
    }

    @Test("an overtaken failure changes nothing, but is posted, since nothing else reports it")
    func overtakenFailure() async {
        let (gate, begun, poster) = (Gate(), Gate(), RecordingPoster())
        var count = 0
        let loader = Loader(reportingTo: poster) {
            count += 1
            if count == 2 { return 2 }
            begun.open()
            await gate.wait()
            throw Plain("late")
        }
        let first = Task { await loader.load() }
        await begun.wait()
        await loader.load()
        gate.open()
        await first.value
        #expect(loader.state.value == 2 && loader.failureCount == 0)
        expect(poster.errors.map { $0 as? Plain }, equals: [Plain("late")])
    }

    @Test("a cancelled load returns to the state before it, and is not posted", arguments: 0..<3)
    func cancelled(kind: Int) async {
        let (begun, gate, poster) = (Gate(), Gate(), RecordingPoster())
        var loads = 0
        let loader = Loader(reportingTo: poster) {
            loads += 1
            if loads == 1 { return "first" }
            begun.open()
            try? await gate.waitUnlessCancelled()
            switch kind {
            case 0: throw CancellationError()
            case 1: throw URLError(.cancelled)
            default: throw Stopped()
            }
        }
        await loader.load()
        let load = Task { await loader.load() }
        await begun.wait()
        #expect(loader.state.isLoading && loader.latest == "first")
        load.cancel()
        await load.value
        #expect(loader.state.value == "first" && loader.failureCount == 0)
        #expect(poster.errors.isEmpty)
    }

    @Test("P6: a load in a cancelled task goes back to the state before it, whatever it throws, which is posted once")
    func failureInCancelledTask() async {
        let (begun, gate, poster) = (Gate(), Gate(), RecordingPoster())
        var loads = 0
        let loader = Loader(reportingTo: poster) {
            loads += 1
            if loads == 1 { return "first" }
            begun.open()
            await gate.wait()
            throw Plain("the server's last word")
        }
        await loader.load()
        let load = Task { await loader.load() }
        await begun.wait()
        load.cancel()
        gate.open()
        await load.value
        #expect(loader.state.value == "first" && loader.failureCount == 0)
        expect(poster.errors.map { $0 as? Plain }, equals: [Plain("the server's last word")])
    }

    @Test("a load that succeeds in a cancelled task has succeeded")
    func successInCancelledTask() async {
        let loader = Loader(reportingTo: nil) { 1 }
        let load = Task { await loader.load() }
        load.cancel()
        await load.value
        expect(loader.state.value, equals: 1)
    }

    @Test("sixteen times as many overlapping loads take some sixteen times as long, in whatever order they end")
    func overlapping() async {
        func duration(of count: Int, cancels: Bool) async -> Duration {
            let gate = Gate()
            var begun = 0
            let loader = Loader(reportingTo: nil) {
                begun += 1
                if cancels { try await gate.waitUnlessCancelled() } else { await gate.wait() }
                return begun
            }
            let begin = ContinuousClock.now
            let loads = (0..<count).map { _ in Task { await loader.load() } }
            await waitUntil { begun == count }
            if cancels { for load in loads { load.cancel() } }
            gate.open()
            for load in loads { await load.value }
            expect(loader.state.isLoading, equals: false)
            return ContinuousClock.now - begin
        }
        for cancels in [false, true] {
            _ = await duration(of: 1_000, cancels: cancels)
            let few = await duration(of: 1_000, cancels: cancels)
            let many = await duration(of: 16_000, cancels: cancels)
            // If each load took time in proportion to the number of loads: 256 times as long.
            #expect(many / few < 90, "\(few), \(many)")
        }
    }

    @Test("URLError.cancelled where nobody cancelled the task is a failure")
    func transferCancelledByOthers() async {
        let poster = RecordingPoster()
        let loader = Loader(reportingTo: poster) { () async throws -> Int in throw URLError(.cancelled) }
        await loader.load()
        #expect(loader.failureCount == 1 && poster.errors.count == 1)
    }

    @Test("reset forgets, and what is under way is ignored")
    func reset() async {
        let (begun, gate) = (Gate(), Gate())
        let loader = Loader(reportingTo: nil) {
            begun.open()
            await gate.wait()
            return 1
        }
        let load = Task { await loader.load() }
        await begun.wait()
        loader.reset()
        #expect(!loader.state.isLoading)
        gate.open()
        await load.value
        #expect(loader.state.value == nil && loader.latest == nil)
        await loader.load()
        expect(loader.state.value, equals: 1)
    }

    private struct Stopped: CancellationConvertible { var isCancellation: Bool { true } }
}
