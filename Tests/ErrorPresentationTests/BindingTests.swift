import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P2, P3: a view binds the error of each style", .tags(.presentation2, .presentation3), .hangLimit)
struct BindingTests {
    private let clock = ManualClock()
    private let presenter: ErrorPresenter

    init() {
        presenter = ErrorPresenter(
            rules: ErrorMap(default: .alert).on(Plain("banner"), .banner).on(Plain("inline"), .inline)
                .on(Long.self, .banner).on(Endless.self, .banner), clock: clock)
    }

    private struct Long: BannerDurationProviding { var bannerDuration: Duration? { .seconds(60) } }
    private struct Endless: BannerDurationProviding { var bannerDuration: Duration? { nil } }
}

extension BindingTests {
    @Test("each style shows its own error; closing it shows the next one")
    func setToNil() {
        for text in ["inline", "a", "banner", "b", "inline"] { presenter.present(Plain(text)) }
        let alert = presenter.alert
        expect(alert?.message, equals: "a")
        expect(presenter.inline?.count, equals: 2)
        presenter.closeShown(.alert)
        expect(presenter.alert?.message, equals: "b")
        expect(presenter.banner?.message, equals: "banner")
        presenter.closeShown(.hidden)
        expectNil(presenter.shown(as: .hidden))
        for _ in 0..<2 { presenter.closeShown(.alert) }
        presenter.closeShown(.inline)
        expect([presenter.alert, presenter.inline], equals: [nil, nil])
        expect(presenter.statistics, equals: .init(received: 5, shown: 4, merged: 1))
    }

    @Test("an alert that closes when its button is tapped is still retried once, and its failure is a new alert")
    func retryAfterClosing() async throws {
        var attempts = 0
        await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) {
            attempts += 1
            throw Plain("no")
        }
        let seen = try #require(presenter.alert)
        presenter.closeShown(.alert)
        expectNil(presenter.alert)
        for _ in 0..<3 { await presenter.retry(seen) }
        expect(attempts, equals: 2)
        expect(presenter.alert?.title, equals: "Saving")
        #expect(presenter.alert?.id != seen.id)
        expect(presenter.statistics, equals: .init(received: 2, shown: 2))
    }

    @Test("an error that was dismissed by value, belongs to another presenter, or was created by hand isn't retried")
    func foreignValues() async throws {
        var attempts = 0
        presenter.present(Plain("no")) { attempts += 1 }
        let seen = try #require(presenter.alert)
        let other = ErrorPresenter(rules: .alerts)
        other.present(Plain("other")) { attempts += 1 }
        await other.retry(seen)
        await presenter.retry(PresentedError(id: seen.id, message: seen.message, canRetry: true))
        expect(other.alert?.message, equals: "other")
        expect(presenter.alert, equals: seen)
        presenter.dismiss(seen)
        await presenter.retry(seen)
        expect(attempts, equals: 0)
    }

    @Test("retries of two styles run at the same time, and closing an error doesn't prevent the next error's retry")
    func atOnce() async throws {
        let gates = [Gate(), Gate()]
        var begun: [String] = []
        for (index, text) in ["first", "second"].enumerated() {
            presenter.present(Plain(text)) {
                begun.append(text)
                await gates[index].wait()
            }
        }
        let first = try #require(presenter.alert)
        let retry = Task { await presenter.retry(first) }
        await waitUntil { begun == ["first"] }
        presenter.closeShown(.alert)
        let second = try #require(presenter.alert)
        // Code that refers to the shown error, whichever it is, doesn't reach an error that appeared in between.
        await presenter.retry()
        expect(begun, equals: ["first"])
        let next = Task { await presenter.retry(second) }
        await waitUntil { begun == ["first", "second"] }
        gates[0].open()
        await retry.value
        #expect(presenter.isRetrying)
        expect(presenter.alert, equals: second)
        gates[1].open()
        await next.value
        #expect(!presenter.isRetrying)
        expectNil(presenter.alert)
        #expect(presenter.isSound)
    }

    @Test("if a button closes an alert while others wait, the retry's failure is always shown next")
    func answerAfterClosing() async throws {
        let presenter = ErrorPresenter(rules: .alerts, limit: 2)
        await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) { throw Plain("no") }
        for index in 0..<9 { presenter.present(Plain("behind \(index)")) }
        let seen = try #require(presenter.alert)
        presenter.closeShown(.alert)
        expect(presenter.alert?.message, equals: "behind 0")
        await presenter.retry(seen)
        presenter.closeShown(.alert)
        expect(presenter.alert?.title, equals: "Saving")
        #expect(presenter.alert?.id != seen.id)
        presenter.closeShown(.alert)
        expect(presenter.alert?.message, equals: "behind 1")
        #expect(presenter.isSound)
    }

    @Test("if the retry of an alert that its button closed is cancelled, the alert returns and can be retried")
    func cancelledAfterClosing() async throws {
        var attempts = 0
        await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) {
            attempts += 1
            throw Plain("no")
        }
        presenter.present(Plain("behind"))
        let seen = try #require(presenter.alert)
        presenter.closeShown(.alert)
        let retry = Task { await presenter.retry(seen) }
        retry.cancel()
        await retry.value
        expect(presenter.alert?.message, equals: "behind")
        presenter.closeShown(.alert)
        expect(presenter.alert, equals: seen)
        expect(presenter.statistics, equals: .init(received: 3, shown: 2, neverShown: 1))
        await presenter.retry()
        expect(attempts, equals: 3)
        expect(presenter.alert?.title, equals: "Saving")
    }

    @Test("errors with a vanished cause are dismissed, shown or waiting, even if the main actor hasn't processed them")
    func dismissAll() async throws {
        let receive = presenter.receiver
        for _ in 0..<2 {
            for error in [Plain("banner"), Plain("a"), Plain("b"), Plain("banner")] as [any Error] + [Long()] {
                receive(ErrorReport(error: error, source: .init()))
            }
        }
        presenter.present(Plain("b")) {}
        presenter.dismissAll(matching: .value(Plain("b")) || .value(Plain("banner")))
        expect(presenter.alert?.message, equals: "a")
        expect(presenter.banner?.message, equals: OwnText.unknown)
        expect(presenter.statistics, equals: .init(received: 11, shown: 3, merged: 6, discarded: 2))
        presenter.dismissAll(matching: .any)
        expect([presenter.alert, presenter.banner], equals: [nil, nil])
        await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) { throw Plain("b") }
        let seen = try #require(presenter.alert)
        // A matcher is user code, which can call the presenter.
        presenter.dismissAll(
            matching: .any.where { [presenter] _ in
                MainActor.assumeIsolated { presenter.closeShown(.alert) }
                return true
            })
        await presenter.retry(seen)
        expectNil(presenter.alert)
        #expect(presenter.isSound)
    }

    @Test("a banner disappears after its time, which stops during a retry, and an error can have its own time")
    func bannerDuration() async throws {
        let gate = Gate()
        presenter.present(Plain("banner"))
        presenter.present(Plain("banner")) { await gate.wait() }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5.9))
        expect(presenter.banner?.canRetry, equals: false)
        clock.advance(by: .seconds(0.1))
        await waitUntil { presenter.banner?.canRetry == true }
        await clock.waitForSleepers(1)
        let retry = Task { await presenter.retry() }
        await waitUntil { presenter.isRetrying }
        clock.advance(by: .seconds(100))
        expect(presenter.banner?.canRetry, equals: true)
        // The retry was cancelled, so the banner is shown for its full time again.
        retry.cancel()
        gate.open()
        await retry.value
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(6))
        await waitUntil { presenter.banner == nil }

        for error in [Long(), Endless()] as [any Error] { presenter.present(error) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(59))
        let long = presenter.banner
        #expect(long != nil)
        clock.advance(by: .seconds(1))
        await waitUntil { presenter.banner?.id != long?.id }
        clock.advance(by: .seconds(1_000_000))
        #expect(presenter.banner != nil)
        presenter.bannerDuration = nil
        presenter.dismiss()
        presenter.present(Plain("banner"))
        clock.advance(by: .seconds(1_000_000))
        expect(presenter.banner?.message, equals: "banner")
        expect(presenter.statistics, equals: .init(received: 5, shown: 5))
    }

    @Test("a released presenter stops its banner's timer")
    func release() async {
        let clock = EndingClock()
        var presenter: ErrorPresenter? = ErrorPresenter(rules: ErrorMap(default: .banner), clock: clock)
        presenter?.present(Plain("banner"))
        await clock.base.waitForSleepers()
        presenter = nil
        await clock.hasEnded.wait()
    }

    @Test("a deinit of a value in an operation can call the presenter, whatever releases the value", arguments: 0..<5)
    func releaseCallsBack(kind: Int) async {
        func present(_ text: String) {
            let caller = CallsOnRelease(presenter)
            presenter.present(Plain(text)) { withExtendedLifetime(caller) {} }
        }
        present("a")
        switch kind {
        case 0: presenter.closeShown(.alert)
        case 1: presenter.dismiss()
        case 2: await presenter.retry()
        case 3:
            present("a")
            presenter.dismissAll(matching: .type(Plain.self))
        default:
            present("b")
            presenter.closeShown(.alert)
            presenter.closeShown(.alert)
        }
        await waitUntil { presenter.statistics.received >= 2 && presenter.alert == nil }
        #expect(presenter.isSound && !presenter.isRetrying)
    }
}

/// An object that presents and dismisses an error when it is released.
@MainActor
private final class CallsOnRelease {
    private let presenter: ErrorPresenter

    init(_ presenter: ErrorPresenter) { self.presenter = presenter }

    // Apple's platforms support `isolated deinit` since macOS 15.4.
    deinit {
        MainActor.assumeIsolated {
            presenter.present(Plain("released"))
            while presenter.alert != nil { presenter.closeShown(.alert) }
        }
    }
}

/// A manual clock with a gate that opens when a sleep ends.
private struct EndingClock: Clock {
    let base = ManualClock()
    let hasEnded = Gate()

    var now: ManualClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        defer { hasEnded.open() }
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}
