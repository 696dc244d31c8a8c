import Foundation
import StandardErrorWriter
import TestSupport
import Testing

@testable import ErrorRouting

/// The presets: `.default`, `.standardError`, both with redaction, and `.logging`.
@Suite("The presets write or log every error that nothing ignores", .tags(.behaviour25))
struct PresetTests {}

extension PresetTests {
    private static func report(_ error: any Error) -> ErrorReport {
        ErrorReport(error: error, source: .init(fileID: "Intake/Main.swift", line: 12), metadata: ["iban": "DE12"])
    }

    private func standardError(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test(".default writes an error that no rule matched to standard error, as one line")
    func unmatched() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let outcome = await ErrorHandler.default.handle(Self.report(Zoo.Localized(errorDescription: "a\nb")))
            precondition(outcome.disposition == .unmatched && outcome.failures.isEmpty)
        }
        expect(
            try standardError(result),
            equals: #"failure type=ErrorRoutingTests.Zoo.Localized message="a\nb" "#
                + #"source=Intake/Main.swift:12 metadata.iban="DE12""# + "\n"
        )
    }

    @Test(".standardError writes what .default does, and the line of handle if there is no report")
    func standardErrorPreset() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            _ = ErrorHandler.standardError.handleSynchronously(Zoo.Offline(), fileID: "Intake/Main.swift", line: 3)
        }
        expect(
            try standardError(result),
            equals: #"failure type=ErrorRoutingTests.Zoo.Offline message="Offline()" source=Intake/Main.swift:3"# + "\n"
        )
    }

    @Test(".default writes nothing for CancellationError, which it ignores, nor for what a rule matched")
    func silence() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let handler = ErrorHandler.default.on(Zoo.Timeout.self) { _ in .next }
            precondition(handler.handleSynchronously(CancellationError())?.disposition == .ignored)
            precondition(handler.handleSynchronously(Zoo.Timeout())?.disposition == .handled)
        }
        expect(try standardError(result), equals: "")
    }

    @Test(".default never suspends, so it serves synchronous callers")
    func synchronous() {
        expect(ErrorHandler.default.handleSynchronously(CancellationError())?.disposition, equals: .ignored)
        expect(ErrorHandler.default.explain(Zoo.Offline()).entries.map(\.verdict), equals: [.notMatched, .matched])
    }

    @Test("lines from several tasks do not mix, and a long one is whole")
    func wholeLines() async throws {
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
            // The testing library writes there too when it ends, and that would fall in between.
            StandardError.waitUntilWritten()
        }
        let messages = try standardError(result).split(separator: "\n").map { ErrorLineFields(String($0))?["message"] }
        expect(messages.count, equals: 8)
        #expect(messages.allSatisfy { $0?.utf8.count == 16_384 && Set(($0 ?? "").utf8).count == 1 })
    }

    @Test(".standardError(redacting:) prints what the redaction returns")
    func redaction() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let report = Self.report(Zoo.Localized(errorDescription: "secret"))
            let first = ErrorHandler.standardError { text, field in field == .message ? "\(text.count) letters" : text }
            await first.handle(report)
            let second = ErrorHandler.standardError { text, field in field == .metadata(key: "iban") ? "…" : text }
            await second.handle(report)
        }
        let lines = try standardError(result).split(separator: "\n").map { ErrorLineFields(String($0)) }
        expect(lines.map { $0?["message"] }, equals: ["6 letters", "secret"])
        expect(lines.map { $0?["metadata.iban"] }, equals: ["DE12", "…"])
    }

    @Test("an overlay's onNoMatch that returns .stop replaces what .default prints")
    func overlaid() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            endIfItHangs()
            let quiet = ErrorHandler.default.overlaid(with: ErrorHandler().onNoMatch { _ in .stop })
            await quiet.handle(Zoo.Offline())
        }
        expect(try standardError(result), equals: "")
    }

    // MARK: logging

    @Test(".logging hands every error with its outcome and its report to the closure, and does nothing else")
    func logging() async {
        let trace = ActionTrace()
        let handler = ErrorHandler()
            .on(Zoo.Timeout.self) { _ in .stop }
            .ignore(CancellationError.self)
            .overlaid(
                with: .logging { error, report in
                    _ = trace("\(type(of: error)) \(report.outcome.disposition) \(report.source)")
                }
            )
        expect(await handler.handle(Self.report(Zoo.Timeout())).disposition, equals: .handled)
        expect(await handler.handle(Self.report(CancellationError())).disposition, equals: .ignored)
        expect(await handler.handle(Self.report(Zoo.Offline())).disposition, equals: .unmatched)
        expect(
            trace.entries,
            equals: [
                "Timeout handled Intake/Main.swift:12",
                "CancellationError ignored Intake/Main.swift:12",
                "Offline unmatched Intake/Main.swift:12",
            ]
        )
    }

    @Test(".logging lets other always actions run, whichever is on top")
    func loggingGoesOn() {
        let trace = ActionTrace()
        let logging = ErrorHandler.logging { _, _ in _ = trace("log") }
        let always = ErrorHandler().always { _ in trace("always") }
        _ = logging.overlaid(with: always).handleSynchronously(Zoo.Offline())
        _ = always.overlaid(with: logging).handleSynchronously(Zoo.Offline())
        expect(trace.entries, equals: ["always", "log", "log", "always"])
    }

    @Test(".logging over .default keeps the level to the closure: an error is logged as handled or not")
    func loggingOverDefault() {
        let trace = ActionTrace()
        let handler = ErrorHandler.default
            .on(Zoo.Timeout.self) { _ in throw Zoo.Offline() }
            .overlaid(
                with: .logging { _, report in
                    _ = trace("\(report.outcome.isHandled) \(report.outcome.failures.count)")
                })
        _ = handler.handleSynchronously(Zoo.Timeout())
        _ = handler.handleSynchronously(CancellationError())
        expect(trace.entries, equals: ["true 1", "true 0"])
    }
}
