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
    @Test("it shows one error at a time, in order, and the next when that is dismissed")
    func order() {
        let presenter = ErrorPresenter(limit: 2)
        for name in ["a", "b", "c", "d"] { presenter.present(Plain(name)) }
        #expect(presenter.current?.message == "a" && presenter.waiting == 2 && presenter.discarded == 1)
        presenter.dismiss()
        #expect(presenter.current?.message == "b" && presenter.waiting == 1)
        presenter.dismiss()
        presenter.dismiss()
        #expect(presenter.current == nil && presenter.waiting == 0)
        presenter.dismiss()
        expect(presenter.statistics, equals: .init(received: 4, shown: 3, discarded: 1))
    }

    @Test("P2: what a person asked for is shown though a bus's errors fill the queue, and in its turn")
    func askedFor() async {
        let presenter = ErrorPresenter(limit: 2)
        let observed = presenter.receiver
        for index in 0..<9 { observed(ErrorReport(error: Plain("bus \(index)"), source: .init())) }
        await presenter.run("Saving", errors: RecordingPoster()) { throw Plain("no") }
        #expect(presenter.current?.message == "bus 0" && presenter.waiting == 2 && presenter.discarded == 7)
        presenter.present(Plain("by hand"))
        presenter.present(Plain("no room"))
        expect(presenter.statistics, equals: .init(received: 12, shown: 1, waiting: 2, discarded: 9))
        presenter.dismiss()
        #expect(presenter.current?.title == "Saving" && presenter.current?.canRetry == true)
        presenter.dismiss()
        expect(presenter.current?.message, equals: "by hand")
    }

    @Test("it folds repeats of the same type, message and style into one with a count")
    func folding() {
        let presenter = ErrorPresenter()
        for _ in 0..<5 { presenter.present(Plain("again")) }
        presenter.present(Plain("other"))
        #expect(presenter.current?.count == 5 && presenter.waiting == 1)
        expect(presenter.statistics, equals: .init(received: 6, shown: 1, waiting: 1, folded: 4))
    }

    @Test("it shows what a bus delivers, handled or not, but nothing that was ignored, and no cancellation")
    func bus() async {
        // Rules that show everything make no difference.
        let presenter = ErrorPresenter(rules: ErrorMap(default: .banner).on(CancellationError.self, .alert))
        let handler = ErrorHandler().on(Plain("handled")) { _ in .stop }.ignore(Plain("ignored"))
        await withErrorBus(handler: handler) { bus in
            let observation = presenter.observe(bus)
            for text in ["ignored", "handled", "ignored", "unmatched"] { bus.post(Plain(text)) }
            bus.post(CancellationError())
            bus.post(Stopped())
            await waitUntil { presenter.statistics.received == 6 && presenter.waiting == 1 }
            #expect(presenter.current?.message == "handled" && presenter.current?.style == .banner)
            presenter.dismiss()
            expect(presenter.current?.message, equals: "unmatched")
            await waitUntil { presenter.statistics.never == 4 }
            expect(presenter.statistics, equals: .init(received: 6, shown: 2, never: 4))
            observation.cancel()
        }
        presenter.present(CancellationError())
        #expect(presenter.statistics.never == 5 && presenter.isSound)
    }

    @Test("what a flood limit suppressed counts in the fold's count")
    func suppressed() async {
        let presenter = ErrorPresenter()
        let clock = ManualClock()
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(1)), clock: clock)
        await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            let observation = presenter.observe(bus)
            for _ in 0..<10 { bus.post(Plain("flood")) }
            // One is delivered, and one stands for nine, which is released at the end.
            bus.finish()
            await waitUntil { presenter.statistics.received == 10 && presenter.current?.count == 10 }
            expect(presenter.statistics, equals: .init(received: 10, shown: 1, folded: 9))
            withExtendedLifetime(observation) {}
        }
    }

    @Test("P5: what a flood limit summed up under the mark is shown by no presenter")
    func suppressedUnderAMark() async {
        let (presenter, other) = (ErrorPresenter(), ErrorPresenter())
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(1)), clock: ManualClock())
        await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            let observation = presenter.observe(bus)
            // All from one line. The first is delivered; the second is held, and the third replaces it.
            for presenter in [presenter, other, presenter] {
                await presenter.run("Saving", errors: bus) { throw Plain("no") }
            }
            bus.finish()
            await waitUntil { presenter.statistics.received == 5 }
            withExtendedLifetime(observation) {}
        }
        #expect(presenter.current?.title == "Saving" && presenter.current?.count == 2)
        expect(presenter.statistics, equals: .init(received: 5, shown: 1, folded: 1, never: 3))
    }

    @Test("P5: attempts, notices and an application's own roles are not shown, but a failure among them is")
    func roles() async {
        let presenter = ErrorPresenter()
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
        expect(presenter.statistics, equals: .init(received: 7, shown: 1, folded: 1, never: 5))
    }

    @Test("P5: a loader's failure is shown by its own view, and by no presenter; its action's failure is")
    func loader() async {
        let presenter = ErrorPresenter(rules: ErrorMap(default: .alert))
        let handler = ErrorHandler().on(Plain.self) { _ in throw Silent.secretCase(code: 1) }
        await withErrorBus(handler: handler) { bus in
            let observation = presenter.observe(bus)
            let loader = Loader { () async throws -> Int in throw Plain("no") }
            await loader.load()
            await waitUntil { presenter.statistics.received == 2 && presenter.current != nil }
            withExtendedLifetime(observation) {}
        }
        expect(presenter.statistics, equals: .init(received: 2, shown: 1, never: 1))
    }

    @Test("a presenter that is deallocated holds nothing up: the bus goes on")
    func presenterGone() async {
        weak var gone: ErrorPresenter?
        await withErrorBus(handler: ErrorHandler()) { bus in
            var presenter: ErrorPresenter? = ErrorPresenter()
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
    }

    @Test("a bus that is deallocated leaves the presenter as it is")
    func busGone() async {
        let presenter = ErrorPresenter()
        var bus: ErrorBus? = ErrorBus(handler: ErrorHandler())
        let observation = bus.map { presenter.observe($0) }
        bus?.post(Plain("left"))
        bus?.finish()
        await bus?.run()
        bus = nil
        await waitUntil { presenter.current != nil }
        presenter.present(Plain("later"))
        #expect(presenter.current?.message == "left" && presenter.waiting == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("many presenters on many scopes each show their own, and the one of the bus shows all")
    func scopes() async {
        let whole = ErrorPresenter(limit: 1_000)
        let parts = (0..<20).map { _ in ErrorPresenter() }
        await withErrorBus(handler: ErrorHandler()) { bus in
            let scopes = parts.indices.map { bus.scope("part \($0)") }
            var observations = [whole.observe(bus)]
            for (part, scope) in zip(parts, scopes) { observations.append(part.observe(scope)) }
            for round in 0..<10 {
                for (index, scope) in scopes.enumerated() {
                    // Some from below.
                    (round < 5 ? scope : scope.scope("below")).post(Plain("error \(round) of \(index)"))
                }
            }
            await waitUntil { whole.waiting == 199 && parts.allSatisfy { $0.waiting == 9 } }
            observations.removeAll()
        }
        #expect(whole.isSound && parts.allSatisfy(\.isSound))
        for (index, part) in parts.enumerated() {
            var messages: [String] = []
            while let current = part.current {
                messages.append(current.message)
                part.dismiss()
            }
            expect(messages, equals: (0..<10).map { "error \($0) of \(index)" })
        }
    }

    @Test("releasing the observation ends the presenting")
    func observationGone() async {
        let presenter = ErrorPresenter()
        await withErrorBus(handler: ErrorHandler()) { bus in
            var observation: ErrorObservation? = presenter.observe(bus)
            bus.post(Plain("seen"))
            await waitUntil { presenter.current != nil }
            withExtendedLifetime(observation) {}
            observation = nil
            bus.post(Plain("unseen"))
            await bus.deliver(Plain("unseen"))
        }
        expect(presenter.statistics.received, equals: 1)
    }

    @Test("an error whose text presents errors, reads statistics and dismisses ends all the same")
    func evil() async {
        let presenter = ErrorPresenter(limit: 4)
        presenter.present(Evil(presenter: presenter, depth: 50))
        // 51 of these, each with two from within.
        await waitUntil { presenter.statistics.received == 153 && presenter.statistics.waiting == presenter.waiting }
        #expect(presenter.isSound)
    }

    private struct Stopped: CancellationConvertible { var isCancellation: Bool { true } }

    private struct Evil: LocalizedError {
        let presenter: ErrorPresenter
        let depth: Int

        var errorDescription: String? {
            MainActor.assumeIsolated {
                if depth > 0 { presenter.present(Evil(presenter: presenter, depth: depth - 1)) }
                presenter.dismiss()
                #expect(presenter.isSound)
                presenter.present(Plain("from within"))
                presenter.present(Plain("from within \(depth)"))
                return "evil \(depth)"
            }
        }
    }
}
