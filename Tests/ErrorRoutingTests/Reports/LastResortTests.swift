import ErrorRoutingTesting
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 4, 13, 15, 16, and 25: the last resort writes unhandled errors, redacted",
    .tags(.promise4, .promise13, .promise15, .promise16, .promise25), .hangLimit)
struct LastResortTests {}

extension LastResortTests {
    private struct Secret: Error { let card = "4111 1111" }

    /// A handler with an action that fails for a secret, and fails again for the notice of that failure.
    private static let failing = ErrorHandler()
        .on(Secret.self) { throw $0 }
        .on(ActionFailure.self) { throw $0.error }

    /// Runs a body with a bus and notes its redacted lines.
    ///
    /// Each must be one line, with the reason and no secret.
    private func expectLines(
        _ reasons: [String],
        handler: ErrorHandler = LastResortTests.failing,
        line caller: Int = #line,
        _ body: (ErrorBus) async -> Void
    ) async {
        let journal = Journal<String>()
        do {
            let resort = LastResort { journal.note($0) }.redacting { "redacted \($0.source.line > 0)" }
            let bus = ErrorBus(handler: handler, configuration: .init(clock: ManualClock(), lastResort: resort))
            await body(bus)
        }
        let lines = journal.entries
        expect(lines.count, equals: reasons.count, "\(lines)", line: caller)
        for (line, reason) in zip(lines, reasons) {
            let fields = ErrorLineFields(line)
            expect(fields?["message"], equals: "redacted true", "\(line)", line: caller)
            expect(fields?["reason"], equals: reason, line: caller)
            expect(["4111", "tell"].filter { line.contains($0) }, equals: [], "\(line)", line: caller)
        }
    }

    private static let finished = "the bus has finished"
    private static let failed = "an action failed, and its failure isn't handled"

    @Test("a last resort can receive the report itself, together with the reason")
    func reports() async {
        let received = Locked<[(ErrorReport, String)]>([])
        let lastResort = LastResort(reports: { report, reason in received.withLock { $0.append((report, reason)) } })
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
        bus.finish()
        await bus.run()
        bus.post(Numbered(4), metadata: ["k": "v"])
        let all = received.withLock { $0 }
        expect(all.map(\.1), equals: ["the bus has finished"])
        expect(all.first?.0.error as? Numbered, equals: Numbered(4))
        expect(all.first?.0.metadata, equals: ["k": "v"])
    }

    @Test(
        "posts after finish, a discarded bus's remaining reports, and the failure of a failure are written, redacted"
    )
    func afterFinish() async {
        await expectLines([Self.finished]) { bus in
            bus.finish()
            bus.post(Secret(), metadata: ["card": "tell"])
            await bus.run()
        }
        await expectLines(["the bus was discarded before it was delivered"]) { bus in
            bus.post(Secret(), metadata: ["card": "tell"])
        }
        await expectLines([Self.failed]) { bus in
            bus.post(Secret(), metadata: ["card": "tell"])
            bus.finish()
            await bus.run()
        }
    }

    @Test("a failure that a shutdown finds, and reports that it removes inside an action, are written to it")
    func shutdown() async {
        let (begun, hang) = (Gate(), Gate())
        let handler = ErrorHandler()
            .on(Secret.self) { _ async in
                begun.open()
                await hang.wait()
                return .stop
            }
            .on(Secret.self) { throw $0 }
        await expectLines([Self.failed], handler: handler) { bus in
            let run = Task { await bus.run() }
            bus.post(Secret(), metadata: ["card": "tell"])
            await begun.wait()
            expect(await bus.shutdown(within: .zero).count, equals: 1)
            hang.open()
            await run.value
        }
        let inside = ErrorHandler().on(Secret.self) { _ async in
            _ = await ErrorBus.current?.shutdown(within: .zero)
            return .stop
        }
        await expectLines(["the bus was shut down before it was delivered"], handler: inside) { bus in
            bus.post(Secret(), metadata: ["card": "tell"])
            await bus.run()
        }
    }

    @Test("the process's last resort is used if a bus has none, and ends even if a line and a redaction post again")
    func process() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let journal = Journal<String>()
            LastResort.setForProcess(LastResort { journal.note($0) }.redacting { _ in "redacted" })
            postError(Secret(), metadata: ["card": "tell"])
            ErrorBus(handler: ErrorHandler()).scope("inner").post(Secret())
            await withErrorScope("no bus") { $0.post(Secret()) }
            let bus = ErrorBus(handler: ErrorHandler())
            bus.finish()
            bus.post(Secret())
            let lines = journal.entries
            guard lines.count == 4, lines.allSatisfy({ $0.contains("message=\"redacted\"") }) else {
                fatalError("\(lines)")
            }

            let again = Journal<String>()
            LastResort.setForProcess(
                LastResort { line in
                    again.note(line)
                    postError(Secret())
                }.redacting { report in
                    postError(report.error)
                    return "redacted"
                }
            )
            postError(Secret())
            let others = again.entries
            guard (2...20).contains(others.count), others.allSatisfy({ !$0.contains("4111") }) else {
                fatalError("\(others)")
            }
        }
    }
}
