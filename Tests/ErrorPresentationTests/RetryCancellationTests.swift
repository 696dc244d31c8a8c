import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P3: a retry that is cancelled leaves its error as it was", .tags(.presentation3), .hangLimit)
struct RetryCancellationTests {
    private let presenter = ErrorPresenter()
    private let poster = RecordingPoster()
}

extension RetryCancellationTests {
    @Test("an operation that says it was cancelled leaves its error as it was, to be run again", arguments: [1, 3])
    func operation(cancellations: Int) async throws {
        var attempts = 0
        await presenter.run("Saving", errors: poster) {
            attempts += 1
            if attempts == 1 { throw Plain("no") }
            if attempts <= 1 + cancellations { throw CancellationError() }
        }
        presenter.present(Plain("behind"))
        let shown = try #require(presenter.current)
        for _ in 0..<cancellations {
            await presenter.retry()
            #expect(presenter.current == shown && presenter.waiting == 1 && !presenter.isRetrying)
        }
        await presenter.retry()
        #expect(attempts == 2 + cancellations && presenter.current?.message == "behind")
        expect(poster.errors.count, equals: 1)
        expect(presenter.statistics, equals: .init(received: 2 + cancellations, shown: 2, never: cancellations))
    }

    @Test("a retry whose task is cancelled leaves its error as it was, to be run again", arguments: [false, true])
    func task(transfer: Bool) async throws {
        let begun = Gate()
        var attempts = 0
        await presenter.run("Saving", errors: poster) {
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
        #expect(presenter.current == shown && shown.canRetry && !presenter.isRetrying && presenter.isSound)
    }

    @Test("a retry that succeeds in a cancelled task has succeeded; whatever it throws there, its error stays")
    func answers() async throws {
        var failures = [Plain("no"), Plain("no again")]
        await presenter.run("Saving", errors: poster) { if !failures.isEmpty { throw failures.removeFirst() } }
        let first = try #require(presenter.current)
        await cancelledRetry()
        #expect(presenter.current == first && poster.errors.count == 2)
        await cancelledRetry()
        #expect(presenter.current == nil && poster.errors.count == 2)
        expect(presenter.statistics, equals: .init(received: 2, shown: 1, never: 1))
    }

    @Test("what run throws in a cancelled task is posted once under the mark, and not shown")
    func run() async {
        let task = Task { await presenter.run("Saving", errors: poster) { throw Plain("the server's last word") } }
        task.cancel()
        await task.value
        #expect(presenter.current == nil && poster.metadata.map(\.isEmpty) == [false])
        expect(presenter.statistics, equals: .init(received: 1, never: 1))
    }

    @Test("a retry of one's own that presents a cancellation, or runs what is cancelled, was cancelled")
    func byHand() async throws {
        var ends: [@MainActor () async -> Void] = [
            { presenter.present(CancellationError()) },
            { await presenter.run("Within", errors: poster) { throw CancellationError() } },
            {},
        ]
        presenter.present(Plain("no")) { await ends.removeFirst()() }
        let shown = try #require(presenter.current)
        for _ in 0..<2 {
            await presenter.retry()
            #expect(presenter.current == shown && presenter.isSound)
        }
        await presenter.retry()
        #expect(presenter.current == nil && ends.isEmpty)
    }

    @Test("a retry of one's own whose task is cancelled leaves its error, whether it presents its failure or not")
    func byHandInCancelledTask() async throws {
        var attempts = 0
        presenter.present(Plain("no")) {
            attempts += 1
            if attempts == 2 { presenter.present(Plain("no again")) }
        }
        let shown = try #require(presenter.current)
        for _ in 0..<2 {
            await cancelledRetry()
            #expect(presenter.current == shown && presenter.waiting == 0)
        }
        #expect(attempts == 2 && presenter.statistics == .init(received: 2, shown: 1, never: 1))
    }

    @Test("an error that was dismissed meanwhile stays away")
    func dismissed() async {
        presenter.present(Plain("no")) {
            presenter.dismiss()
            presenter.present(CancellationError())
        }
        presenter.present(Plain("behind"))
        await presenter.retry()
        #expect(presenter.current?.message == "behind" && presenter.waiting == 0 && !presenter.isRetrying)
    }

    @Test("repeats are folded into the error again once its retry was cancelled")
    func foldedAgain() async {
        presenter.present(Plain("no")) { presenter.present(CancellationError()) }
        await presenter.retry()
        presenter.present(Plain("no"))
        #expect(presenter.current?.count == 2 && presenter.waiting == 0)
    }

    /// A retry in a task that is cancelled before it begins.
    private func cancelledRetry() async {
        let retry = Task { await presenter.retry() }
        retry.cancel()
        await retry.value
    }

    @Test("P3: a retry that failed has failed, also where its failure is not to be shown, and it is cancelled then")
    func cancelledAfterHiddenFailure() async {
        let rules = ErrorMap<PresentationStyle>(default: .alert).on(Silent.self, .never)
        let presenter = ErrorPresenter(rules: rules)
        presenter.present(
            Plain("no"),
            retry: { [unowned presenter] in
                presenter.present(Silent.secretCase(code: 1))
                presenter.present(CancellationError())
            })
        await presenter.retry()
        #expect(presenter.current == nil && presenter.statistics == .init(received: 3, shown: 1, never: 2))
    }
}
