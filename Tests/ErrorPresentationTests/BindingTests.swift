import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P2, P3: a view binds the error of each style", .tags(.presentation2, .presentation3), .hangLimit)
struct BindingTests {
    private let presenter = ErrorPresenter(
        rules: ErrorMap(default: .alert).on(Plain("banner"), .banner).on(Plain("inline"), .inline))
}

extension BindingTests {
    @Test("each style shows its own error; a binding set to nil, or to false, dismisses it; any other is ignored")
    func setToNil() {
        for text in ["inline", "a", "banner", "b", "inline"] { presenter.present(Plain(text)) }
        let alert = presenter.alert
        expect(alert?.message, equals: "a")
        expect(presenter.inline?.count, equals: 2)
        let isPresented: ReferenceWritableKeyPath<ErrorPresenter, Bool> = \.alert.isPresented
        presenter[keyPath: isPresented] = true
        presenter.alert = alert
        presenter.alert = PresentedError(id: 9, message: "mine")
        expect(presenter.alert, equals: alert)
        presenter.alert = nil
        expect(presenter.alert?.message, equals: "b")
        expect(presenter.banner?.message, equals: "banner")
        #expect(presenter[keyPath: isPresented])
        presenter[keyPath: isPresented] = false
        #expect(!presenter[keyPath: isPresented])
        presenter.alert = nil
        presenter.inline = nil
        expect([presenter.alert, presenter.inline], equals: [nil, nil])
        expect(presenter.statistics, equals: .init(received: 5, shown: 4, folded: 1))
    }

    @Test("an alert that its button's tap closes is retried all the same, once, and its failure is a new alert")
    func retryAfterClosing() async throws {
        var attempts = 0
        await presenter.run("Saving", errors: RecordingPoster()) {
            attempts += 1
            throw Plain("no")
        }
        let seen = try #require(presenter.alert)
        presenter.alert = nil
        expectNil(presenter.alert)
        for _ in 0..<3 { await presenter.retry(seen) }
        expect(attempts, equals: 2)
        expect(presenter.alert?.title, equals: "Saving")
        #expect(presenter.alert?.id != seen.id)
        expect(presenter.statistics, equals: .init(received: 2, shown: 2))
    }

    @Test("what was dismissed by its value, or is of another presenter, or made by hand, is retried by nobody")
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

    @Test("retries of two styles run at once; one that was closed does not keep the next from being retried")
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
        presenter.alert = nil
        let second = try #require(presenter.alert)
        // Code that means whichever is shown does not reach an error that has come up meanwhile.
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

    @Test("a deinit of what an operation holds may call the presenter, whatever releases it", arguments: 0..<5)
    func releaseCallsBack(kind: Int) async {
        func present(_ text: String) {
            let caller = CallsOnRelease(presenter)
            presenter.present(Plain(text)) { withExtendedLifetime(caller) {} }
        }
        present("a")
        switch kind {
        case 0: presenter.alert = nil
        case 1: presenter.dismiss()
        case 2: await presenter.retry()
        case 3:
            // The newest operation of repeats is kept.
            present("a")
            presenter.dismiss()
        default:
            present("b")
            presenter.alert = nil
            presenter.alert = nil
        }
        await waitUntil { presenter.statistics.received >= 2 && presenter.alert == nil }
        #expect(presenter.isSound && !presenter.isRetrying)
    }
}

/// Presents and dismisses an error when it is released.
@MainActor
private final class CallsOnRelease {
    private let presenter: ErrorPresenter

    init(_ presenter: ErrorPresenter) { self.presenter = presenter }

    // Apple's platforms have `isolated deinit` since macOS 15.4.
    deinit {
        MainActor.assumeIsolated {
            presenter.present(Plain("released"))
            while presenter.alert != nil { presenter.alert = nil }
        }
    }
}
