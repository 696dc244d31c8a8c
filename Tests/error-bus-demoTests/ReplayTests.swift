import ErrorRecording
import ErrorRecovery
import ErrorReplay
import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import error_bus_demo

@Suite struct ReplayTests {}

extension ReplayTests {
    /// Runs an intake whose errors are recorded, and returns the lines.
    private func recording() async throws -> [Substring] {
        let sample = try SampleInbox(kinds: [
            .good: 15, .truncated: 2, .wrongType: 2, .missingField: 1, .empty: 1, .folder: 1, .danglingLink: 2,
            .noLines: 3, .zeroQuantity: 2, .overLimit: 4,
        ])
        defer { sample.remove() }
        let inbox = try Inbox(FilePath(sample.folder.path))
        let file = "\(sample.folder.path)/errors"
        let recorder = try ErrorRecorder(path: file, rebuilding: .orderIntake)
        let ledger = Ledger()
        await withErrorBus(handler: .orderIntake(ledger: ledger)) { bus in
            bus.observeUntilEnd { recorder.record($0) }
            let scopes = IntakeScopes(of: bus, ledger: ledger)
            let payments = RecoveringPayments(
                PaymentClient(endpoint: PaymentClient.closedEndpoint), policy: RetryPolicy(maxAttempts: 1),
                errors: scopes.payments)
            let progress = ProgressDisplay(total: inbox.entries.count, ledger: ledger)
            await OrderIntake(inbox: inbox, payments: payments, ledger: ledger, progress: progress).run(in: scopes)
        }
        let statistics = await recorder.close(within: .seconds(60))
        expect(statistics.written, equals: statistics.recorded)
        return try String(contentsOf: URL(filePath: file), encoding: .utf8).split(separator: "\n")
    }

    private func replay(_ lines: [Substring], areChanged: Bool) -> Replay {
        let ledger = Ledger()
        var replay = Replay(
            rules: ReplayCommand.rules(ledger, areChanged: areChanged), scopes: IntakeScopes.handlers(ledger),
            rebuilding: .orderIntake)
        for line in lines { replay.add(line) }
        return replay
    }

    @Test func `the errors of a run are all unchanged by its own rules, and changed rules move those that they name`()
        async throws
    {
        let lines = try await recording()
        let count = lines.count
        // Of the intake 18, and of the 15 payments one each, a change of the circuit included.
        #expect(count >= 18 + 15)
        let same = replay(lines, areChanged: false)
        expect(same.unchanged, equals: count, "\(same)")
        let changed = replay(lines, areChanged: true)
        expect(changed.unchanged, equals: count - 5, "\(changed)")
        #expect(changed.notRebuilt.isEmpty, "\(changed)")
        expect(changed.differences.values.sorted(), equals: [2, 3])
        expect(Set(changed.differences.keys.map { $0.before.prefix(7) }), equals: ["handled", "ignored"])
        // The page about it shows the same.
        let page = try Markdown.text(of: "Sources/ErrorReplay/ErrorReplay.docc/TryingRules.md")
        let shown = page.split(separator: "\n").filter { $0.contains("before: ") || $0.contains("after:  ") }
        expect(shown.map { changed.description.contains($0) }, equals: [true, true, true, true], "\(changed)")
    }
}
