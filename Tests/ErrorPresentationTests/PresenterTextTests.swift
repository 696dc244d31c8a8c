import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import ErrorPresentation

@MainActor
@Suite("P4: an error's strings for users come from the error or from a rule", .tags(.presentation4), .hangLimit)
struct PresenterTextTests {}

extension PresenterTextTests {
    @Test("message, suggestion, reason, and options come from the error, even if it is boxed")
    func localizedError() throws {
        func box<E: Error>(_ error: E) -> any Error { error }
        for error in [DiskFull(), box(box(DiskFull() as any Error) as any Error)] {
            let shown = try #require(present(error))
            expect(
                shown,
                equals: .init(
                    id: shown.id, message: "The disk is full.", recoverySuggestion: "Remove something.",
                    failureReason: "There is no room left."))
        }
        // Foundation would put the reason into its own sentence.
        let reason = try #require(present(Reason()))
        expect(reason, equals: .init(id: reason.id, message: "It is full.", failureReason: "It is full."))
        let conflict = try #require(present(Conflict()))
        expect(conflict.recoveryOptions, equals: ["Keep mine", "Take theirs"])
        // The options serve as the suggestion, because there is no other suggestion.
        expect(conflict.recoverySuggestion, equals: "Keep mine / Take theirs")
    }

    @Test("an NSError's strings come from its keys, and the presented error is a LocalizedError with the same strings")
    func keys() throws {
        let error = NSError(
            domain: "test", code: 7,
            userInfo: [
                "NSLocalizedFailure": "The document could not be saved.",
                NSLocalizedDescriptionKey: "The server is away.",
                NSLocalizedFailureReasonErrorKey: "It is night.",
                NSLocalizedRecoverySuggestionErrorKey: "Come back later.",
            ])
        let presented = try #require(present(error))
        expect(presented.title, equals: "The document could not be saved.")
        expect(presented.message, equals: "The server is away.")
        let shown: any LocalizedError = presented
        expect(
            [shown.errorDescription, shown.failureReason, shown.recoverySuggestion, shown.localizedDescription],
            equals: ["The server is away.", "It is night.", "Come back later.", "The server is away."])
        // An error's own message can name the domain, and its options serve as the suggestion if there is no other.
        let full = NSError(
            domain: "disk", code: 1,
            userInfo: [
                NSLocalizedDescriptionKey: "The disk is full.",
                NSLocalizedRecoveryOptionsErrorKey: ["Clean up", "Cancel"],
            ])
        let own = try #require(present(full))
        expect([own.message, own.recoverySuggestion], equals: ["The disk is full.", "Clean up / Cancel"])
    }

    @Test("Foundation provides the strings of its own errors and of coding errors, without developers' descriptions")
    func foundation() throws {
        let context = DecodingError.Context(codingPath: [], debugDescription: "secret")
        let broken = try #require(present(DecodingError.dataCorrupted(context)))
        #expect(!broken.message.contains("secret"))
        #expect(broken.failureReason != nil)
        let missing = try #require(present(CocoaError(.fileNoSuchFile)))
        #expect(!missing.message.contains(/Cocoa|4/))
        // Foundation on Linux doesn't have messages for a code that isn't an `Int32`.
        for code in [-1, 4_294_967_295, .max, .min] {
            let unknown = try #require(present(NSError(domain: NSPOSIXErrorDomain, code: code)))
            #expect(!unknown.message.contains("NSPOSIXErrorDomain"))
        }
        // Foundation doesn't have messages for these errors, only their domains and codes.
        let textless: [any Error] = [
            URLError(.timedOut), NSError(domain: NSCocoaErrorDomain, code: 99_999), NSError(domain: "App", code: 4),
        ]
        for error in textless { expect(present(error)?.message, equals: OwnText.unknown, "\(error)") }
    }

    @Test("no string comes from a description for developers")
    func descriptions() throws {
        let errors: [any Error] = [
            Silent.secretCase(code: 51), NSError(domain: "secret", code: 51), Described(), Coded(), Mute(),
        ]
        for error in errors {
            let shown = try #require(present(error))
            expect(shown, equals: .init(id: shown.id, message: "The operation could not be completed."), "\(error)")
        }
    }

    @Test("a string that the error provides is shown unchanged, even if it looks like one of Foundation's sentences")
    func ownTexts() throws {
        let foundations = [
            (Silent.secretCase(code: 51) as any Error).localizedDescription,
            NSError(domain: "secret", code: -51).localizedDescription,
            "The operation couldn’t be completed. (App.Secret error 1.)",
        ]
        let own = [
            "The document is damaged (invoice.pdf, page 3.)",
            "Please update the app (see help.example.com, section 7.)",
            "The photo is too large (IMG.heic, number 12.). Choose another one.",
            "This needs a newer plan (Starter vs. Team, from seat 6.)", "Der Raum ist belegt (Geb. Nord, Etage 2.)",
            "The printer is out of paper (Office.Floor tray 2.)", "The server refused it (HTTP error 503.)", "(", ".)",
        ]
        for text in foundations + own {
            expect(present(Plain(text))?.message, equals: text)
            let keys = [
                NSLocalizedDescriptionKey, NSLocalizedFailureReasonErrorKey, NSLocalizedRecoverySuggestionErrorKey,
                "NSLocalizedFailure",
            ]
            let userInfo = Dictionary(uniqueKeysWithValues: keys.map { ($0, text) })
            let shown = try #require(present(NSError(domain: "test", code: 1, userInfo: userInfo)))
            let expected = PresentedError(
                id: shown.id, title: text, message: text, recoverySuggestion: text, failureReason: text)
            expect(shown, equals: expected, "\(text)")
        }
    }

    @Test("the strings that a domain provides are shown, even if they contain the domain's name")
    func providedTexts() throws {
        let domain = "disk-\(UInt64.random(in: 0 ... .max))"
        let error = NSError(domain: domain, code: 1)
        expect(present(error)?.message, equals: OwnText.unknown)
        let texts: [String: any Sendable] = [
            NSLocalizedDescriptionKey: "The \(domain) is full.", NSLocalizedFailureReasonErrorKey: "It is small.",
            NSLocalizedRecoveryOptionsErrorKey: ["Clean up", "Cancel"], "NSLocalizedFailure": "Saving failed.",
        ]
        defer { NSError.setUserInfoValueProvider(forDomain: domain, provider: nil) }
        NSError.setUserInfoValueProvider(forDomain: domain) { _, key in texts[key] }
        let shown = try #require(present(error))
        let expected = PresentedError(
            id: shown.id, title: "Saving failed.", message: "The \(domain) is full.",
            recoverySuggestion: "Clean up / Cancel", failureReason: "It is small.")
        expect(shown, equals: expected)
        NSError.setUserInfoValueProvider(forDomain: domain) { _, key in
            key == NSLocalizedRecoverySuggestionErrorKey ? "Remove something." : nil
        }
        expect(present(error)?.recoverySuggestion, equals: "Remove something.")
        // The error's own value takes precedence.
        let own = NSError(domain: domain, code: 1, userInfo: [NSLocalizedRecoverySuggestionErrorKey: "Wait."])
        expect(present(own)?.recoverySuggestion, equals: "Wait.")
    }

    @Test("strings that a subclass of NSError overrides are shown; otherwise, no sentence with its domain is shown")
    func overriddenTexts() throws {
        let shown = try #require(present(Damaged(domain: "test", code: 3)))
        expect(
            shown, equals: .init(id: shown.id, message: "The test error 3.", recoverySuggestion: "Open another one."))
        expect(present(Plainest(domain: "test", code: 3))?.message, equals: OwnText.unknown)
    }

    @Test("rules override each of the error's strings separately, and the title passed to run overrides their title")
    func rules() async throws {
        let texts = ErrorMap<PresentedText?>(default: nil)
            .on(DiskFull.self, PresentedText(title: "Storage", message: "No room."))
            .on(Silent.self) { PresentedText(message: "\($0)") }
        let changed = try #require(present(DiskFull(), texts: texts))
        expect(changed.title, equals: "Storage")
        expect(changed.message, equals: "No room.")
        expect(changed.recoverySuggestion, equals: "Remove something.")
        let other = try #require(present(Plain("as it says"), texts: texts))
        expect(other, equals: .init(id: other.id, message: "as it says"))
        // A rule can use the description.
        expect(present(Silent.secretCase(code: 51), texts: texts)?.message, equals: "secretCase(code: 51)")
        let presenter = ErrorPresenter(rules: .alerts, texts: texts)
        await presenter.run(failureTitle: "Saving", errors: RecordingPoster()) { throw DiskFull() }
        presenter.present(DiskFull())
        expect(presenter.current?.title, equals: "Saving")
        expect(presenter.current?.message, equals: "No room.")
        presenter.dismiss()
        expect(presenter.current?.title, equals: "Storage")
    }

    @Test("a string that is much too long is truncated")
    func longTexts() throws {
        let message = try #require(present(Plain(String(repeating: "ä", count: 1_000_000)))?.message)
        #expect(message.utf8.count <= 16 * 1024 + 3)
        #expect(message.hasSuffix("ä…"))
    }

    @Test("rules decide whether and how an error is shown")
    func styles() {
        expect(present(Silent.secretCase(code: 1))?.style, equals: .alert)
        let rules = ErrorMap<PresentationStyle>.alerts.on(Plain.self, .banner).on(DiskFull.self, .inline)
        expect(present(Plain(""), rules: rules)?.style, equals: .banner)
        expect(present(DiskFull(), rules: rules)?.style, equals: .inline)
        expectNil(present(Plain(""), rules: rules.on(Plain.self, .hidden)))
    }

    private func present(
        _ error: any Error,
        rules: ErrorMap<PresentationStyle> = .alerts,
        texts: ErrorMap<PresentedText?> = .init(default: nil)
    ) -> PresentedError? {
        let presenter = ErrorPresenter(rules: rules, texts: texts)
        presenter.present(error)
        #expect(presenter.isSound)
        return presenter.current
    }
}

private struct DiskFull: LocalizedError {
    var errorDescription: String? { "The disk is full." }
    var failureReason: String? { "There is no room left." }
    var recoverySuggestion: String? { "Remove something." }
}

private struct Reason: LocalizedError { var failureReason: String? { "It is full." } }

private struct Conflict: RecoverableError {
    var recoveryOptions: [String] { ["Keep mine", "Take theirs"] }
    func attemptRecovery(optionIndex: Int) -> Bool { false }
}

private struct Described: Error, CustomStringConvertible { var description: String { "for developers" } }

private struct Coded: CustomNSError { static var errorDomain: String { "secret" } }

/// A `LocalizedError` without strings.
private struct Mute: LocalizedError {}

private final class Damaged: NSError, @unchecked Sendable {
    override var localizedDescription: String { "The test error 3." }
    override var localizedRecoverySuggestion: String? { "Open another one." }
}

/// A subclass without strings.
private final class Plainest: NSError, @unchecked Sendable {}
