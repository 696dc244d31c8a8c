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
    @Test("each style shows its own error, and holds back no other")
    func styles() {
        for text in ["inline", "alert", "banner", "inline"] { presenter.present(Plain(text)) }
        #expect(presenter.alert?.message == "alert" && presenter.banner?.message == "banner")
        #expect(presenter.inline?.message == "inline" && presenter.inline?.count == 2)
        expect(presenter.statistics, equals: .init(received: 4, shown: 3, folded: 1))
    }

    @Test("a binding set to nil dismisses the error of its style; any other value is ignored")
    func setToNil() {
        for text in ["banner", "a", "b"] { presenter.present(Plain(text)) }
        let alert = presenter.alert
        presenter.alert = alert
        presenter.alert = PresentedError(id: 9, message: "mine")
        expect(presenter.alert, equals: alert)
        presenter.alert = nil
        #expect(presenter.alert?.message == "b" && presenter.banner != nil)
        presenter.alert = nil
        presenter.alert = nil
        presenter.inline = nil
        #expect(presenter.alert == nil && presenter.statistics == .init(received: 3, shown: 3))
    }

    @Test("a binding of a Bool, as SwiftUI's alert takes it, is one of the same error")
    func isPresented() {
        presenter.present(Plain("a"))
        let path: ReferenceWritableKeyPath<ErrorPresenter, Bool> = \.alert.isPresented
        #expect(presenter[keyPath: path])
        presenter[keyPath: path] = true
        #expect(presenter.alert != nil)
        presenter[keyPath: path] = false
        #expect(presenter.alert == nil && !presenter[keyPath: path])
    }

    @Test("a presented error is a LocalizedError whose texts are those that it shows")
    func localizedError() throws {
        let error = NSError(
            domain: "test", code: 1,
            userInfo: [
                NSLocalizedDescriptionKey: "what", NSLocalizedFailureReasonErrorKey: "why",
                NSLocalizedRecoverySuggestionErrorKey: "then",
            ])
        presenter.present(error)
        let shown: any LocalizedError = try #require(presenter.alert)
        #expect(shown.errorDescription == "what" && shown.failureReason == "why" && shown.recoverySuggestion == "then")
        expect(shown.localizedDescription, equals: "what")
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
        #expect(attempts == 2 && presenter.alert?.title == "Saving" && presenter.alert?.id != seen.id)
        expect(presenter.statistics, equals: .init(received: 2, shown: 2))
    }

    @Test("an error that was dismissed by its value is not retried")
    func retryAfterDismissing() async throws {
        var attempts = 0
        presenter.present(Plain("no")) { attempts += 1 }
        let seen = try #require(presenter.alert)
        presenter.dismiss(seen)
        await presenter.retry(seen)
        expect(attempts, equals: 0)
    }

    @Test("a value of another presenter, or one made by hand, is retried by nobody")
    func foreignValues() async throws {
        var attempts = 0
        presenter.present(Plain("no")) { attempts += 1 }
        let seen = try #require(presenter.alert)
        let other = ErrorPresenter()
        other.present(Plain("other")) { attempts += 1 }
        await other.retry(seen)
        await presenter.retry(PresentedError(id: seen.id, message: seen.message, canRetry: true))
        #expect(attempts == 0 && other.alert?.message == "other" && presenter.alert == seen)
    }

    @Test("an operation is released when nobody has the value of its error any more")
    func release() async throws {
        weak var held: Flaky?
        var seen: PresentedError?
        do {
            let flaky = Flaky(failures: 1)
            held = flaky
            await presenter.run("Counting", errors: RecordingPoster()) { [flaky] in try flaky.run() }
            seen = presenter.alert
        }
        presenter.alert = nil
        #expect(held != nil && seen != nil)
        seen = nil
        expectNil(held)
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
        #expect(presenter.isRetrying && presenter.alert == second)
        gates[1].open()
        await next.value
        #expect(!presenter.isRetrying && presenter.alert == nil && presenter.isSound)
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

    isolated deinit {
        presenter.present(Plain("released"))
        while presenter.alert != nil { presenter.alert = nil }
    }
}
