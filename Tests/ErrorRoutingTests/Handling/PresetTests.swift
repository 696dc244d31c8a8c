import Foundation
import StandardErrorWriter
import TestSupport
import Testing

@testable import ErrorRouting

/// The presets: `.default`, `.standardError`, both with redaction, and `.logging`.
@Suite("The presets write or log every error that isn't ignored", .tags(.promise25), .hangLimit)
struct PresetTests {}

extension PresetTests {
    private static func report(_ error: any Error) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Intake/Main.swift", line: 12), metadata: ["iban": "DE12"])
    }

    @Test("a line, redacted if configured, is written for unmatched errors, but not for ignored or matched ones")
    func lines() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let outcome = await ErrorHandler.default.handle(Self.report(Zoo.Localized(errorDescription: "a\nb")))
            precondition(outcome.disposition == .unmatched && outcome.failures.isEmpty)
            _ = ErrorHandler.standardError.handleSynchronously(Zoo.Offline(), fileID: "Intake/Main.swift", line: 3)

            let handler = ErrorHandler.default.on(Zoo.Timeout.self) { _ in .next }
            precondition(handler.handleSynchronously(CancellationError())?.disposition == .ignored)
            precondition(handler.handleSynchronously(Zoo.Timeout())?.disposition == .handled)
            // An overlay's `onNoMatch` that stops replaces what the preset prints.
            await ErrorHandler.default.overlaid(with: ErrorHandler().onNoMatch { _ in .stop }).handle(Zoo.Offline())

            let secret = Self.report(Zoo.Localized(errorDescription: "secret"))
            await ErrorHandler.standardError { "\($0.message.count) letters" }.handle(secret)
        }
        let localized = "failure type=ErrorRoutingTests.Zoo.Localized message="
        let rest = "source=Intake/Main.swift:12 metadata.iban="
        expect(
            result.standardErrorText,
            equals: """
                \(localized)"a\\nb" \(rest)"DE12"
                failure type=ErrorRoutingTests.Zoo.Offline message="Offline()" source=Intake/Main.swift:3
                \(localized)"6 letters" source=Intake/Main.swift:12

                """)
    }

    @Test("lines from several tasks aren't mixed, and a long line is complete")
    func wholeLines() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        let text = String(repeating: "\(number)", count: 16_384)
                        await ErrorHandler.default.handle(Self.report(Zoo.Localized(errorDescription: text)))
                    }
                }
            }
            // The testing library also writes there when it ends, which could happen in between.
            StandardError.waitUntilWritten()
        }
        let messages = result.standardErrorLines.map { ErrorLineFields($0)?["message"] }
        expect(messages.count, equals: 8)
        #expect(messages.allSatisfy { $0?.utf8.count == 16_384 && Set(($0 ?? "").utf8).count == 1 })
    }

    // MARK: logging

    @Test(
        ".logging passes every error with its outcome to the closure, and other always rules still run"
    )
    func logging() async {
        let trace = ActionTrace()
        let logging = ErrorHandler.logging { error, report in
            let failures = report.outcome.failures.count
            _ = trace("\(type(of: error)) \(report.outcome.disposition) \(failures) \(report.source)")
        }
        let always = ErrorHandler().always { _ in trace("always") }
        let handler = ErrorHandler()
            .on(Zoo.Timeout.self) { _ in throw Zoo.Offline() }
            .ignore(CancellationError.self)
            .overlaid(with: logging).overlaid(with: always)
        expect(await handler.handle(Self.report(Zoo.Timeout())).disposition, equals: .handled)
        expect(trace.takeAll(), equals: ["always", "Timeout handled 1 Intake/Main.swift:12"])
        expect(await handler.handle(Self.report(CancellationError())).disposition, equals: .ignored)
        expect(trace.takeAll(), equals: ["always", "CancellationError ignored 0 Intake/Main.swift:12"])
        await always.overlaid(with: logging).handle(Self.report(Zoo.Offline()))
        expect(trace.takeAll(), equals: ["Offline unmatched 0 Intake/Main.swift:12", "always"])
    }
}
