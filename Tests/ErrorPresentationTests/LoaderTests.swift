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
    @Test("a failure is posted once with the loader's source and counted, and latest survives it")
    func failure() async throws {
        let (flaky, poster) = (Flaky(failures: 2), RecordingPoster())
        let line: UInt = #line + 1
        let loader = Loader(errors: poster) { try flaky.run() }
        await loader.load()
        expect(loader.state.error as? Plain, equals: Plain("attempt 1 failed"))
        expect(loader.failureCount, equals: 1)
        expectNil(loader.latest)
        await loader.load()
        expect(loader.failureCount, equals: 2)
        await loader.load()
        expect(loader.failureCount, equals: 0)
        expect(loader.latest, equals: 3)
        flaky.failures = 4
        await loader.load()
        #expect(loader.state.error != nil)
        expect(loader.failureCount, equals: 1)
        expect(loader.latest, equals: 3)
        expect(poster.sources, equals: .init(repeating: .init(fileID: #fileID, line: line), count: 3))
    }

    @Test("typed throws stay typed, and by default the loading task's ambient bus receives the failure")
    func typedThrows() async {
        let recorded = await withRecordedErrors { _ in
            let loader = Loader { () async throws(Plain) -> [Int] in throw Plain("typed") }
            await loader.load()
            expect(loader.state, equals: .failed(Plain("typed")))
        }
        recorded.expectReported(.value(Plain("typed")), count: 1)
    }

    @Test("a search that overtakes itself shows the last query's result, and an overtaken failure is only posted")
    func overtaking() async {
        let (gates, poster) = ([Gate(), Gate(), Gate()], RecordingPoster())
        var queries = 0
        let loader = Loader(errors: poster) {
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
        #expect(loader.state.isLoading)
        expectNil(loader.latest)
        gates[2].open()
        await loads[2].value
        expect(loader.state.value, equals: 2)
        gates[1].open()
        await loads[1].value
        expect(loader.state.value, equals: 2)
        expect(loader.failureCount, equals: 0)
        // No other report has this failure.
        expect(poster.errors.map { $0 as? Plain }, equals: [Plain("query 1 failed")])
    }

    @Test("cancelling restores the state now, cancels the operations, ignores their values, and posts no cancellation")
    func cancelling() async {
        let (poster, gate) = (RecordingPoster(), Gate())
        var begun = 0
        let loader = Loader(errors: poster) {
            begun += 1
            if begun == 1 { return 1 }
            if begun == 2 { try await Gate().waitUnlessCancelled() } else { await gate.wait() }
            if begun == 4 { throw Plain("after all") }
            return begun
        }
        await loader.load()
        let loads = (0..<3).map { _ in Task { await loader.load() } }
        await waitUntil { begun == 4 }
        #expect(loader.state.isLoading)
        loader.cancel()
        expect(loader.state.value, equals: 1)
        gate.open()
        for load in loads { await load.value }
        expect(loader.state.value, equals: 1)
        expect(loader.failureCount, equals: 0)
        // Only the cancellation isn't posted.
        expect(poster.errors.compactMap { $0 as? Plain }.count, equals: poster.errors.count)
        #expect(!poster.errors.isEmpty)
        await loader.load()
        loader.cancel()
        expect(loader.state.value, equals: 5)
    }

    @Test(
        "P6: a load that fails in a cancelled task restores the state before it; elsewhere a cancellation is a failure",
        arguments: [CancellationError(), URLError(.cancelled), Stopped(), Plain("the last word"), nil] as [(any Error)?]
    )
    func cancelled(end: (any Error)?) async {
        let (begun, gate, poster) = (Gate(), Gate(), RecordingPoster())
        var loads = 0
        let loader = Loader(errors: poster) {
            loads += 1
            if loads == 1 { return "first" }
            begun.open()
            try? await gate.waitUnlessCancelled()
            if let end { throw end }
            return "succeeded all the same"
        }
        await loader.load()
        let load = Task { await loader.load() }
        await begun.wait()
        #expect(loader.state.isLoading)
        expect(loader.latest, equals: "first")
        load.cancel()
        await load.value
        expect(loader.state.value, equals: end == nil ? "succeeded all the same" : "first")
        expect(loader.failureCount, equals: 0)
        expect(poster.errors.map { $0 as? Plain }, equals: end is Plain ? [Plain("the last word")] : [])
        // If the task isn't cancelled, something else was, and the value is missing.
        gate.open()
        await loader.load()
        expect(loader.failureCount, equals: end == nil ? 0 : 1)
        #expect((loader.state.error != nil) == (end != nil))
        let last: [ErrorReport.Role] = end == nil ? [] : end is URLError || end is Plain ? [.failure] : [.notice]
        expect(poster.roles, equals: (end is Plain ? [.failure] : []) + last)
        #expect(poster.metadata.allSatisfy { !$0.isEmpty })
    }

    @Test("it is idle, then loading, then loaded; reset discards the value and ignores loads under way")
    func reset() async {
        let (begun, gate) = (Gate(), Gate())
        let loader = Loader(errors: nil) {
            begun.open()
            await gate.wait()
            return 1
        }
        #expect(!loader.state.isLoading)
        let load = Task { await loader.load() }
        await begun.wait()
        #expect(loader.state.isLoading)
        loader.reset()
        #expect(!loader.state.isLoading)
        gate.open()
        await load.value
        expectNil(loader.state.value)
        expectNil(loader.latest)
        await loader.load()
        expect(loader.state.value, equals: 1)
        expect(loader.latest, equals: 1)
        expect(loader.failureCount, equals: 0)
    }

    @Test("a loader can outlive its model, and retains it only while an operation runs")
    func model() async {
        let (begun, gate, poster) = (Gate(), Gate(), RecordingPoster())
        var model: Model? = Model(poster) {
            begun.open()
            await gate.wait()
            return 1
        }
        weak let held = model
        let loader = model?.values
        let load = Task { await loader?.load() }
        await begun.wait()
        model = nil
        #expect(held != nil)
        gate.open()
        await load.value
        expect(loader?.latest, equals: 1)
        expectNil(held)
        // The operation finds no model, and reports that as a cancellation.
        await loader?.load()
        expect(poster.roles, equals: [.notice])
        expect(loader?.latest, equals: 1)
    }

    /// A model like the one on the page about apps.
    @MainActor
    private final class Model {
        private(set) lazy var values = Loader(errors: poster) { [weak self] in
            guard let self else { throw CancellationError() }
            return try await find()
        }
        private let poster: RecordingPoster
        private let find: @MainActor () async throws -> Int

        init(_ poster: RecordingPoster, find: @escaping @MainActor () async throws -> Int) {
            (self.poster, self.find) = (poster, find)
        }
    }

    private struct Stopped: CancellationConvertible { var isCancellation: Bool { true } }
}
