import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P2: a presenter shows one error at a time, in order", .tags(.presentation2, .presentation3), .hangLimit)
struct PresenterTests {}

extension PresenterTests {
    @Test("a negative limit crashes the program with a message")
    func negativeLimit() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
            _ = ErrorPresenter(rules: .alerts, limit: -1)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("ErrorPresenter: limit must not be negative, but is -1"))
    }

    @Test("an error of the user's own action is shown in order even if a bus's errors fill the queue")
    func ownActions() async {
        let presenter = ErrorPresenter(rules: .alerts, limit: 2)
        let observed = presenter.receiver
        for index in 0..<9 { observed(ErrorReport(error: Plain("bus \(index)"), source: .init())) }
        await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) { throw Plain("no") }
        expect(presenter.current?.message, equals: "bus 0")
        expect([presenter.waiting, presenter.discarded], equals: [2, 7])
        presenter.present(Plain("by hand"))
        presenter.present(Plain("no room"))
        expect(presenter.statistics, equals: .init(received: 12, shown: 1, waiting: 2, discarded: 9))
        presenter.dismiss()
        expect(presenter.current?.title, equals: "Saving")
        expect(presenter.current?.canRetry, equals: true)
        presenter.dismiss()
        expect(presenter.current?.message, equals: "by hand")
    }

    @Test("by default errors are hidden, but errors that the user waits for are alerts unless a rule hides them")
    func defaults() async {
        for rules in [ErrorMap<PresentationStyle>.default, .default.on(Plain("posted"), .banner)] {
            let presenter = ErrorPresenter(rules: rules.on(Plain("unimportant"), .hidden))
            presenter.bannerDuration = nil
            await withErrorBus(handler: ErrorHandler()) { bus in
                let observation = presenter.observe(bus)
                for text in ["posted", "other"] { bus.post(Plain(text)) }
                await waitUntil { presenter.statistics.received == 2 }
                observation.cancel()
            }
            expect(presenter.alert?.message, equals: nil)
            await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) { throw Plain("unimportant") }
            presenter.present(Plain("unimportant"))
            expect(presenter.alert?.message, equals: nil)
            await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) { throw Plain("other") }
            expect(presenter.alert?.message, equals: "other")
            presenter.dismiss()
            presenter.present(Plain("other"))
            expect(presenter.alert?.style, equals: .alert)
            presenter.dismiss()
            await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) { throw Plain("posted") }
            expect(presenter.banner == nil, equals: presenter.alert != nil)
        }
    }

    @Test("it shows a bus's failures, handled or not, but not ignored errors")
    func bus() async {
        // Even rules that show everything don't change this.
        let presenter = ErrorPresenter(rules: ErrorMap(default: .banner))
        presenter.bannerDuration = nil
        let handler = ErrorHandler().on(Plain("handled")) { _ in .stop }.ignore(Plain("ignored"))
        await withErrorBus(handler: handler) { bus in
            let observation = presenter.observe(bus)
            for text in ["ignored", "handled", "ignored", "unmatched"] { bus.post(Plain(text)) }
            await waitUntil { presenter.statistics.received == 4 && presenter.waiting == 1 }
            expect(presenter.current?.message, equals: "handled")
            expect(presenter.current?.style, equals: .banner)
            presenter.dismiss()
            expect(presenter.current?.message, equals: "unmatched")
            expect(presenter.statistics, equals: .init(received: 4, shown: 2, neverShown: 2))
            observation.cancel()
        }
    }

    @Test(
        "a cancellation in a cancelled task isn't shown, whatever the rules; in any other task it is a failure",
        arguments: [CancellationError(), Stopped(), URLError(.cancelled)] as [any Error])
    func cancellations(error: any Error) async {
        let presenter = ErrorPresenter(rules: ErrorMap(default: .banner))
        presenter.bannerDuration = nil
        await withErrorBus(handler: ErrorHandler()) { bus in
            let observation = presenter.observe(bus)
            let meet: @MainActor () async -> Void = {
                presenter.present(error)
                await presenter.run(failureTitle: "Saving", errors: bus) { throw error }
                bus.catching { throw error }
            }
            let cancelled = Task { await meet() }
            cancelled.cancel()
            await cancelled.value
            expect(presenter.statistics, equals: .init(received: 2, neverShown: 2))
            await meet()
            await waitUntil { presenter.statistics.received == 6 && presenter.inbox.counts == .init() }
            expect(presenter.current?.style, equals: .banner)
            // `catching` posts a cancellation as a notice. `URLError.cancelled` counts as a cancellation only in a
            // cancelled task.
            let isFailure = error is URLError
            var expected = ErrorPresenter.Statistics(received: 6, shown: 1, waiting: 1, neverShown: 4)
            if isFailure { (expected.merged, expected.neverShown) = (1, 3) }
            expect(presenter.statistics, equals: expected)
            // The report's role decides, not the error.
            bus.post(error)
            await waitUntil { presenter.statistics.merged == expected.merged + 1 }
            withExtendedLifetime(observation) {}
        }
    }

    @Test("P5: no presenter shows errors that a flood limit merged into a report with the mark")
    func suppressedUnderAMark() async {
        let (presenter, other) = (ErrorPresenter(rules: .alerts), ErrorPresenter(rules: .alerts))
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(1)), clock: ManualClock())
        await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            let observation = presenter.observe(bus)
            // All errors come from one line. The first error is delivered, the second is held back, and the third
            // replaces the second.
            for presenter in [presenter, other, presenter] {
                await presenter.run(failureTitle: "Saving", errors: bus) { throw Plain("no") }
            }
            bus.finish()
            await waitUntil { presenter.statistics.received == 5 }
            withExtendedLifetime(observation) {}
        }
        expect(presenter.current?.title, equals: "Saving")
        expect(presenter.statistics, equals: .init(received: 5, shown: 1, waiting: 1, neverShown: 3))
    }

    @Test("P5: attempts, notices, and reports with custom roles aren't shown, but a failure among them is")
    func roles() async {
        let presenter = ErrorPresenter(rules: .alerts)
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(1)), clock: ManualClock())
        let roles: [ErrorReport.Role] = [.attempt, .attempt, .failure, .attempt, .notice, .failure, .init("audit")]
        await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            let observation = presenter.observe(bus)
            for role in roles { bus.post(Plain("\(role)"), as: role) }
            bus.finish()
            await waitUntil { presenter.statistics.received == 7 && presenter.current?.count == 2 }
            withExtendedLifetime(observation) {}
        }
        expect(presenter.current?.message, equals: "failure")
        expect(presenter.statistics, equals: .init(received: 7, shown: 1, merged: 1, neverShown: 5))
    }

    @Test("if a presenter or a bus is deallocated, the other continues")
    func presenterGone() async {
        weak var gone: ErrorPresenter?
        await withErrorBus(handler: ErrorHandler()) { bus in
            var presenter: ErrorPresenter? = ErrorPresenter(rules: .alerts)
            gone = presenter
            let observation = presenter?.observe(bus)
            bus.post(Plain("seen"))
            await waitUntil { presenter?.current != nil }
            presenter = nil
            await waitUntil { gone == nil }
            for _ in 0..<100 { bus.post(Plain("unseen")) }
            await waitUntil { bus.statistics.unmatched == 101 }
            withExtendedLifetime(observation) {}
        }

        let presenter = ErrorPresenter(rules: .alerts)
        var bus: ErrorBus? = ErrorBus(handler: ErrorHandler())
        let observation = bus.map { presenter.observe($0) }
        bus?.post(Plain("left"))
        bus?.finish()
        await bus?.run()
        bus = nil
        await waitUntil { presenter.current != nil }
        presenter.present(Plain("later"))
        expect(presenter.current?.message, equals: "left")
        expect(presenter.waiting, equals: 1)
        withExtendedLifetime(observation) {}
    }

    private struct Stopped: CancellationConvertible { var isCancellation: Bool { true } }
}
