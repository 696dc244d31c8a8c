import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P3: a cancelled retry leaves its error unchanged", .tags(.presentation3), .hangLimit)
struct RetryCancellationTests {
    private let presenter = ErrorPresenter(rules: .alerts)
    private let poster = RecordingPoster()
}

extension RetryCancellationTests {
    @Test("an operation that throws a cancellation in a task that isn't cancelled has failed like any other operation")
    func operation() async throws {
        var attempts = 0
        await presenter.run(failureTitle: "Saving", errors: poster) {
            attempts += 1
            if attempts <= 3 { throw CancellationError() }
        }
        presenter.present(Plain("behind"))
        for attempt in 1...3 {
            let shown = try #require(presenter.current)
            expect(shown.title, equals: "Saving")
            #expect(shown.canRetry)
            expect(poster.roles, equals: Array(repeating: .notice, count: attempt))
            await presenter.retry()
            #expect(presenter.current?.id != shown.id && !presenter.isRetrying)
        }
        expect(attempts, equals: 4)
        expect(presenter.current?.message, equals: "behind")
        expect(presenter.statistics, equals: .init(received: 4, shown: 4))
    }

    @Test("a retry in a cancelled task leaves its error unchanged and retryable", arguments: [false, true])
    func task(transfer: Bool) async throws {
        let begun = Gate()
        var attempts = 0
        await presenter.run(failureTitle: "Saving", errors: poster) {
            attempts += 1
            if attempts == 1 { throw Plain("no") }
            begun.open()
            try? await Gate().waitUnlessCancelled()
            throw transfer ? URLError(.cancelled) : CancellationError() as any Error
        }
        let shown = try #require(presenter.current)
        let retry = Task { await presenter.retry() }
        await begun.wait()
        retry.cancel()
        await retry.value
        expect(presenter.current, equals: shown)
        #expect(!presenter.isRetrying)
        #expect(presenter.isSound)
    }

    @Test("a retry that succeeds in a cancelled task has succeeded; if it throws there, its error stays")
    func answers() async throws {
        var failures = [Plain("no"), Plain("no again")]
        await presenter.run(failureTitle: "Saving", errors: poster) {
            if !failures.isEmpty { throw failures.removeFirst() }
        }
        let first = try #require(presenter.current)
        await cancelledRetry()
        expect(presenter.current, equals: first)
        expect(poster.errors.count, equals: 2)
        await cancelledRetry()
        expectNil(presenter.current)
        expect(poster.errors.count, equals: 2)
        expect(presenter.statistics, equals: .init(received: 2, shown: 1, neverShown: 1))
    }

    @Test("a custom retry in a cancelled task leaves its error unchanged, whether or not it presents its failure")
    func byHandInCancelledTask() async throws {
        var attempts = 0
        presenter.present(Plain("no")) {
            attempts += 1
            if attempts == 2 { presenter.present(Plain("no again")) }
        }
        let shown = try #require(presenter.current)
        for attempt in 1...2 {
            await cancelledRetry()
            expect(presenter.current, equals: shown)
            expect(attempts, equals: attempt)
        }
        expect(presenter.statistics, equals: .init(received: 2, shown: 1, neverShown: 1))
    }

    /// Runs a retry in a task that is cancelled before it begins.
    private func cancelledRetry() async {
        let retry = Task { await presenter.retry() }
        retry.cancel()
        await retry.value
    }

    @Test("an error that was dismissed during its retry doesn't return, even if the retry is then cancelled")
    func dismissedMeanwhile() async throws {
        presenter.present(Plain("no")) { presenter.dismiss() }
        presenter.present(Plain("behind"))
        await cancelledRetry()
        expect(presenter.current?.message, equals: "behind")
        expect(presenter.waiting, equals: 0)
        #expect(!presenter.isRetrying)
    }

    @Test("a retry that failed counts as failed, even if its failure is hidden and it is then cancelled")
    func cancelledAfterHiddenFailure() async {
        let presenter = ErrorPresenter(rules: ErrorMap(default: .alert).on(Silent.self, .hidden))
        let (begun, gate) = (Gate(), Gate())
        presenter.present(
            Plain("no"),
            retry: { [unowned presenter] in
                presenter.present(Silent.secretCase(code: 1))
                begun.open()
                await gate.wait()
                presenter.present(Plain("in a cancelled task"))
            })
        let retry = Task { await presenter.retry() }
        await begun.wait()
        retry.cancel()
        gate.open()
        await retry.value
        expectNil(presenter.current)
        expect(presenter.statistics, equals: .init(received: 3, shown: 1, neverShown: 2))
    }
}
