import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P2: of several windows that share a bus, one shows each failure", .tags(.presentation2), .hangLimit)
struct WindowTests {
    private let clock = ManualClock()

    private func window(_ bus: ErrorBus) -> (ErrorPresenter, ErrorPlace) {
        let presenter = ErrorPresenter(rules: .alerts.on(Plain("banner"), .banner), clock: clock)
        let place = ErrorPlace()
        place.appear(in: presenter)
        presenter.share(bus)
        return (presenter, place)
    }
}

extension WindowTests {
    @Test("the window that became active last shows a bus's failures, and run's failure stays in its own window")
    func active() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let ((first, firstPlace), (second, secondPlace)) = (window(bus), window(bus))
            first.isActive = false
            first.isActive = true
            bus.post(Plain("a"))
            await waitUntil { firstPlace.alert != nil }
            await second.run(failureTitle: "Saving", errors: bus) { throw Plain("own") }
            expect(secondPlace.alert?.title, equals: "Saving")
            for text in ["b", "c"] { bus.post(Plain(text)) }
            await waitUntil { first.statistics.waiting == 2 }
            // An error that the user has seen stays in its window.
            second.isActive = false
            second.isActive = true
            expect(firstPlace.alert?.message, equals: "a")
            // The report of run's failure was delivered to this window too.
            expect(first.statistics, equals: .init(received: 2, shown: 1, neverShown: 1))
            second.dismiss()
            secondPlace.alertDidClose()
            expect(secondPlace.alert?.message, equals: "b")
            expect(second.statistics, equals: .init(received: 3, shown: 2, waiting: 1))
            expect([first, second].map(\.isSound), equals: [true, true])
        }
    }

    @Test("while no window is active or on screen, failures wait, and a closed window's failures move to another")
    func closed() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let (first, firstPlace) = window(bus)
            firstPlace.disappear()
            for _ in 0..<3 { bus.post(Plain("a")) }
            bus.post(Plain("b"))
            _ = await bus.flush(within: .seconds(600))
            expect(first.statistics, equals: .init())
            let (second, secondPlace) = window(bus)
            expect(secondPlace.alert?.count, equals: 3)
            second.present(Plain("own"))
            secondPlace.disappear()
            // The failure of the user's own action stays with its window.
            expect(second.alert?.message, equals: "own")
            firstPlace.appear(in: first)
            expect(firstPlace.alert?.count, equals: 3)
            first.dismissAll(matching: .value(Plain("a")))
            firstPlace.alertDidClose()
            expect(firstPlace.alert?.message, equals: "b")
            expect(first.statistics, equals: .init(received: 4, shown: 2, merged: 2))
            expect(second.statistics, equals: .init(received: 1, shown: 1))
        }
    }

    @Test("a burst wakes the main actor once per batch, and not at all while no window is active")
    func burst() async {
        let shared = SharedBus()
        let presenter = ErrorPresenter(rules: .alerts)
        let place = ErrorPlace()
        for isActive in [true, false] {
            presenter.shared = [shared]
            if isActive { place.appear(in: presenter) } else { place.disappear() }
            let wakeUps = presenter.wakeUps
            let receive = shared.receiver
            for _ in 0..<1_000 { receive(.delivered(Plain("a"))) }
            if isActive { await waitUntil { presenter.statistics.received == 1_000 } }
            // The main actor runs tasks in order, so it would have run the task of another wake-up before this task.
            await Task.detached { @MainActor in }.value
            expect(presenter.wakeUps, equals: wakeUps + (isActive ? 1 : 0))
        }
        place.appear(in: presenter)
        expect(place.alert?.count, equals: 2_000)
    }

    @Test("a bus that is shared twice, two buses, and a window that was released count each failure once")
    func shared() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let other = ErrorBus(handler: ErrorHandler())
            let running = Task { await other.run() }
            let (presenter, place) = window(bus)
            presenter.share(bus)
            presenter.share(other)
            do {
                let released = window(bus)
                withExtendedLifetime(released) {}
            }
            for poster in [bus, other] { poster.post(Plain("a")) }
            await waitUntil { presenter.statistics.received == 2 }
            expect(place.alert?.count, equals: 2)
            for poster in [bus, other] { _ = await poster.flush(within: .seconds(600)) }
            expect(presenter.statistics, equals: .init(received: 2, shown: 1, merged: 1))
            other.finish()
            await running.value
        }
    }

    @Test("a nested place of the same presenter shows an error instead of the outer place, never together with it")
    func nested() {
        let presenter = ErrorPresenter(rules: .alerts.on(Plain("banner"), .banner), clock: clock)
        let places = [ErrorPlace(), ErrorPlace()]
        for place in places.reversed() { place.appear(in: presenter) }
        for text in ["a", "banner"] { presenter.present(Plain(text)) }
        expect(places.map(\.alert?.message), equals: [nil, "a"])
        expect(places.map(\.banner?.message), equals: [nil, "banner"])
        places[1].disappear()
        expect(places.map(\.alert?.message), equals: ["a", nil])
        expect(places.map(\.banner?.message), equals: ["banner", nil])
        // A place belongs to only one window.
        let other = ErrorPresenter(rules: .alerts)
        other.present(Plain("other"))
        places[0].appear(in: other)
        expect(places.map(\.alert?.message), equals: ["other", nil])
    }

    @Test("a banner's time stops while the window isn't active, so that a user who returns still sees it")
    func banner() async {
        let presenter = ErrorPresenter(rules: ErrorMap(default: .banner), clock: clock)
        presenter.present(Plain("a"))
        await clock.waitForSleepers(1)
        presenter.isActive = false
        clock.advance(by: .seconds(100))
        presenter.present(Plain("b"))
        expect(presenter.banner?.message, equals: "a")
        presenter.isActive = true
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        expect(presenter.banner?.message, equals: "a")
        clock.advance(by: .seconds(1))
        await waitUntil { presenter.banner?.message == "b" }
    }

    @Test("code that the library calls for an error's strings may close the window")
    func reentry() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let held = Locked<ErrorPlace?>(nil)
            let texts = ErrorMap<PresentedText?>(default: nil).on(Plain.self) { error in
                let place = held.withLock { $0.take() }
                if error.text == "b" { MainActor.assumeIsolated { place?.disappear() } }
                return PresentedText(title: error.text)
            }
            let presenter = ErrorPresenter(rules: .alerts, texts: texts)
            let place = ErrorPlace()
            place.appear(in: presenter)
            presenter.share(bus)
            bus.post(Plain("a"))
            await waitUntil { place.alert?.title == "a" }
            held.withLock { $0 = place }
            for text in ["b", "c"] { bus.post(Plain(text)) }
            await waitUntil { presenter.alert?.title == "b" }
            #expect(presenter.isSound)
            expectNil(place.alert)
            // The window shows the errors that it gave back and the errors that it was about to take.
            place.appear(in: presenter)
            await waitUntil { presenter.statistics.received == 3 }
            #expect(presenter.isSound)
            var seen: Set<String?> = []
            while let alert = presenter.alert {
                seen.insert(alert.title)
                presenter.dismiss()
            }
            expect(seen, equals: ["a", "b", "c"])
        }
    }
}
