import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P3: a failed operation is retried once, and its failure is posted once", .tags(.presentation3), .hangLimit)
struct RetryTests {}

extension RetryTests {
    @Test("run returns its operation's value, and a failure is posted once with run's source and can be retried")
    func failure() async throws {
        let (presenter, poster, flaky) = (ErrorPresenter(rules: .alerts), RecordingPoster(), Flaky(failures: 1))
        let value: Int? = await presenter.run(failureTitle: "Counting", errors: poster) { 3 }
        expect(value, equals: 3)
        expect(presenter.statistics, equals: .init())
        let line: UInt = #line + 1
        expectNil(await presenter.run(failureTitle: "Counting", errors: poster) { try flaky.run() })
        let shown = try #require(presenter.current)
        expect(
            shown, equals: .init(id: shown.id, title: "Counting", message: "attempt 1 failed", canRetry: true))
        expect(poster.sources, equals: [.init(fileID: #fileID, line: line)])
        await presenter.retry()
        expect(flaky.attempts, equals: 2)
        expectNil(presenter.current)
        expect(poster.errors.count, equals: 1)
    }

    @Test(
        "the cancellation of an operation is neither posted nor shown; a failure in a cancelled task is only posted",
        arguments: [CancellationError(), URLError(.cancelled), Plain("the server's last word")] as [any Error])
    func cancelled(error: any Error) async {
        let (presenter, poster, begun) = (ErrorPresenter(rules: .alerts), RecordingPoster(), Gate())
        let task = Task {
            await presenter.run(failureTitle: "Waiting", errors: poster) {
                begun.open()
                try? await Gate().waitUnlessCancelled()
                throw error
            }
        }
        await begun.wait()
        task.cancel()
        #expect(await task.value == nil)
        expectNil(presenter.current)
        expect(poster.metadata.map(\.isEmpty), equals: error is Plain ? [false] : [])
        expect(presenter.statistics, equals: .init(received: 1, neverShown: 1))
    }

    @Test("P5: a failure that comes back through an observed bus isn't shown again by any presenter")
    func comingBack() async {
        let (presenter, other) = (ErrorPresenter(rules: .alerts), ErrorPresenter(rules: .alerts))
        let recorded = await withRecordedErrors { bus in
            let observations = [presenter.observe(bus), other.observe(bus)]
            await presenter.run(failureTitle: "Saving", errors: bus) { throw Plain("no") }
            // The same error from another source counts as a different error.
            await bus.deliver(Plain("no"))
            await waitUntil { presenter.waiting == 1 && other.current != nil }
            withExtendedLifetime(observations) {}
            expect(presenter.current?.title, equals: "Saving")
            expect(presenter.statistics, equals: .init(received: 3, shown: 1, waiting: 1, neverShown: 1))
            expect(other.statistics, equals: .init(received: 2, shown: 1, neverShown: 1))
        }
        recorded.expectReported(.value(Plain("no")), count: 2)
    }

    @Test("P5: a failure of run or a loader isn't shown again, but the failure of an action that handles it is shown")
    func actionFailures() async {
        // The default rules hide these, because they are for operators.
        let presenter = ErrorPresenter(rules: ErrorMap(default: .alert))
        let handler = ErrorHandler().on(Plain.self) { _ in throw Silent.secretCase(code: 1) }
        await withErrorBus(handler: handler) { bus in
            let observation = presenter.observe(bus)
            await presenter.run(failureTitle: "Saving", errors: bus) { throw Plain("no") }
            await waitUntil { presenter.statistics.received == 3 && presenter.waiting == 1 }
            let loader = Loader { () async throws -> Int in throw Plain("no") }
            await loader.load()
            await waitUntil { presenter.statistics.received == 5 && presenter.statistics.merged == 1 }
            withExtendedLifetime(observation) {}
        }
        expect(presenter.statistics, equals: .init(received: 5, shown: 1, waiting: 1, merged: 1, neverShown: 2))
    }

    @Test("a failure that the rules of its bus, scope, or task ignore is posted but not shown")
    func ignored() async {
        let presenter = ErrorPresenter(rules: .alerts)
        let recorded = await withRecordedErrors(handler: ErrorHandler().ignore(Plain("by the bus"))) { bus in
            let scope = bus.scope("part", handler: ErrorHandler().ignore(Plain("by the scope")))
            await presenter.run(failureTitle: "1", errors: bus) { throw Plain("by the bus") }
            await presenter.run(failureTitle: "2", errors: scope) { throw Plain("by the bus") }
            await presenter.run(failureTitle: "3", errors: scope) { throw Plain("by the scope") }
            await presenter.run(failureTitle: "4") { throw Plain("by the bus") }
            await scope.bound { _ = await presenter.run(failureTitle: "5") { throw Plain("by the scope") } }
            expect(presenter.statistics, equals: .init(received: 5, neverShown: 5))
            await presenter.run(failureTitle: "6", errors: bus) { throw Plain("by the scope") }
            expect(presenter.current?.title, equals: "6")
        }
        recorded.expectReported(.type(Plain.self), count: 6)
    }

    @Test("a failure is shown immediately even if its bus doesn't run")
    func busThatDoesNotRun() async {
        let (presenter, bus) = (ErrorPresenter(rules: .alerts), ErrorBus(handler: ErrorHandler()))
        await presenter.run(failureTitle: "Saving", errors: bus) { throw Plain("no") }
        expect(presenter.current?.title, equals: "Saving")
        expect(bus.statistics.posted, equals: 1)
        expect(await bus.shutdown(within: .zero).count, equals: 1)
    }

    @Test("a retry runs once however often it is tapped, and taps don't reach the waiting error")
    func taps() async {
        let (presenter, begun, gate) = (ErrorPresenter(rules: .alerts), Gate(), Gate())
        var (first, second) = (0, 0)
        presenter.present(Plain("first")) {
            first += 1
            begun.open()
            await gate.wait()
        }
        presenter.present(Plain("second")) { second += 1 }
        let tap = Task { await presenter.retry() }
        await begun.wait()
        for _ in 0..<10 { await presenter.retry() }
        #expect(presenter.isRetrying)
        expect(presenter.current?.message, equals: "first")
        gate.open()
        await tap.value
        expect([first, second], equals: [1, 0])
        #expect(!presenter.isRetrying)
        expect(presenter.current?.message, equals: "second")
        await presenter.retry()
        expect(second, equals: 1)
        expectNil(presenter.current)
    }

    @Test("a tap after the end of the retry doesn't reach a newer error")
    func lateTaps() async throws {
        let presenter = ErrorPresenter(rules: .alerts)
        var (first, second) = (0, 0)
        presenter.present(Plain("first")) { first += 1 }
        presenter.present(Plain("second")) { second += 1 }
        let seen = try #require(presenter.current)
        // Act like two tasks of which the second begins late.
        for _ in 0..<2 { await presenter.retry(seen) }
        presenter.dismiss(seen)
        expect([first, second], equals: [1, 0])
        let next = try #require(presenter.current)
        expect(next.message, equals: "second")
        for _ in 0..<2 { await presenter.retry(next) }
        presenter.dismiss(next)
        expect(second, equals: 1)
        expect(presenter.statistics, equals: .init(received: 2, shown: 2))
    }

    @Test("the result of run shows whether an operation without a result succeeded, so that a sheet can close")
    func withoutResult() async {
        let presenter = ErrorPresenter(rules: .alerts)
        let poster = RecordingPoster()
        for succeeds in [true, false] {
            let result: Void? = await presenter.run(failureTitle: "Saving", errors: poster) {
                if !succeeds { throw Plain("no") }
            }
            expect(result != nil, equals: succeeds)
        }
        expect(presenter.alert?.title, equals: "Saving")
        expect(poster.errors.count, equals: 1)
    }

    @Test("a retry that fails again is posted and shown before waiting errors, and a late tap doesn't reach it")
    func failsAgain() async throws {
        let (presenter, poster, flaky) = (ErrorPresenter(rules: .alerts), RecordingPoster(), Flaky(failures: 3))
        await presenter.run(failureTitle: "Counting", errors: poster) { try flaky.run() }
        presenter.present(Plain("behind"))
        var ids = [try #require(presenter.current).id]
        for _ in 0..<2 {
            let seen = try #require(presenter.current)
            for _ in 0..<3 { await presenter.retry(seen) }
            presenter.dismiss(seen)
            let shown = try #require(presenter.current)
            expect(
                shown, equals: .init(id: shown.id, title: "Counting", message: "attempt 1 failed", canRetry: true))
            ids.append(shown.id)
        }
        expect(Set(ids).count, equals: 3)
        await presenter.retry()
        expect(flaky.attempts, equals: 4)
        expect(poster.errors.count, equals: 3)
        expect(presenter.current?.message, equals: "behind")
        expect(presenter.statistics, equals: .init(received: 4, shown: 4))
    }

    @Test("a custom retry's failure is shown next, and retrying does nothing without an operation")
    func failsAgainByItself() async {
        let presenter = ErrorPresenter(rules: .alerts)
        await presenter.retry()
        presenter.present(Plain("first")) { presenter.present(Plain("first")) }
        presenter.present(Plain("second"))
        for _ in 0..<2 {
            await presenter.retry()
            expect(presenter.current, equals: .init(id: 3, message: "first"))
            expect(presenter.waiting, equals: 1)
        }
    }

    @Test("P3: if an operation within a retried operation fails, its error is separate and waits for its turn")
    func runWithinRetry() async {
        let (presenter, poster) = (ErrorPresenter(rules: .alerts), RecordingPoster())
        var attempts = 0
        await presenter.run(failureTitle: "Outer", errors: poster) {
            attempts += 1
            if attempts == 2 { await presenter.run(failureTitle: "Inner", errors: poster) { throw Plain("inner") } }
            throw Plain("outer")
        }
        presenter.present(Plain("behind"))
        await presenter.retry()
        var titles: [String?] = []
        while let current = presenter.current {
            titles.append(current.title)
            presenter.dismiss()
        }
        #expect(titles == ["Outer", nil, "Inner"] && poster.errors.count == 3 && presenter.isSound)
    }

    @Test("an error that a retry presents on another presenter is queued there, even during its own retry")
    func twoPresenters() async {
        let (presenter, other) = (ErrorPresenter(rules: .alerts), ErrorPresenter(rules: .alerts))
        let (begun, gate) = (Gate(), Gate())
        other.present(Plain("first")) {
            begun.open()
            await gate.wait()
        }
        other.present(Plain("second"))
        presenter.present(Plain("elsewhere")) { other.present(Plain("third")) }
        let retry = Task { await other.retry() }
        await begun.wait()
        await presenter.retry()
        gate.open()
        await retry.value
        #expect(other.current?.message == "second" && other.waiting == 1)
    }

    @Test("operations that fail alike have separate errors, whatever their titles, and each error has its own retry")
    func alike() async {
        let presenter = ErrorPresenter(rules: .alerts)
        var runs: [String] = []
        for (title, name) in [("Saving", "a"), ("Saving", "b"), ("Loading", "c")] {
            await presenter.run(failureTitle: title, errors: RecordingPoster()) {
                runs.append(name)
                if runs.count <= 3 { throw Plain("no") }
            }
        }
        expect(presenter.statistics, equals: .init(received: 3, shown: 1, waiting: 2))
        for _ in 0..<3 { await presenter.retry() }
        expect(runs, equals: ["a", "b", "c", "a", "b", "c"])
        expectNil(presenter.current)
    }

    @Test("an operation is released when its error is gone and its value is no longer retained")
    func release() async {
        let presenter = ErrorPresenter(rules: .alerts)
        weak var held: Flaky?
        var seen: PresentedError?
        let ends: [@MainActor () async -> Void] = [
            { presenter.dismiss() }, { await presenter.retry() },
            {
                seen = presenter.alert
                presenter.closeShown(.alert)
                #expect(held != nil)
                #expect(seen != nil)
                seen = nil
            },
        ]
        for end in ends {
            var flaky: Flaky? = Flaky(failures: 1)
            held = flaky
            await presenter.run(failureTitle: "Counting", errors: RecordingPoster()) { [flaky] in try flaky?.run() }
            flaky = nil
            #expect(held != nil)
            await end()
            expectNil(held)
        }
    }
}
