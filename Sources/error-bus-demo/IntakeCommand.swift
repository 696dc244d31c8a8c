import BoundedDescriptions
import ErrorRecording
import ErrorRouting
import Foundation

/// The intake command: owns the bus, runs the service, and shows the results.
struct IntakeCommand: Sendable {
    let options: Options
    /// The application's own preset, which hides the library's in this module.
    let handler = ErrorHandler.default

    @concurrent
    func run() async throws -> ExitStatus {
        let sample = options.inbox == nil ? try SampleInbox(kinds: SampleInbox.someHundreds) : nil
        defer { if !options.keepsFiles { sample?.remove() } }
        if options.keepsFiles { sample?.keep() }
        let inbox = try Inbox(options.inbox ?? FilePath(sample?.folder.path ?? ""))
        let payments = PaymentClient(endpoint: options.payments ?? PaymentClient.closedEndpoint)

        let ledger = Ledger.shared
        let progress = ProgressDisplay(total: inbox.entries.count, ledger: ledger)
        writeHeader(inbox, payments, workers: OrderIntake.workerCount)

        let start = ContinuousClock.now
        // An entry has at most one error, and a failed payment causes at most three changes of the circuit: it opens,
        // half opens, and closes. With this capacity no error is dropped.
        let configuration = ErrorBus.Configuration(capacity: max(4 * inbox.entries.count, 1))
        // The bus lives as long as this call, which returns when the intake is done and every error is delivered. As
        // the root bus it also receives the errors of callbacks and threads, which have no task.
        let recorder = try recorder(capacity: configuration.capacity)
        let (bus, scopes, counting, recovering) = await withErrorBus(
            handler: handler, configuration: configuration, asRoot: true
        ) { bus in
            // The stream is opened before anything is posted. A task of its own reads it, since the stream goes on
            // until the bus is empty, even if this task is cancelled.
            if let recorder { bus.observeUntilEnd { recorder.record($0) } }
            let reports = bus.reports(bufferingNewest: .max)
            let counting = Task { await RuleTally(counting: reports) }
            let scopes = IntakeScopes(of: bus, ledger: ledger)
            let recovering = RecoveringPayments(payments, errors: scopes.payments)
            let intake = OrderIntake(inbox: inbox, payments: recovering, ledger: ledger, progress: progress)
            await intake.run(in: scopes)
            return (bus, scopes, counting, recovering)
        }
        await progress.finish()
        let table = RuleTable(handler, scopes.all, await counting.value)

        writeResult(table, ledger, recovering, bus.statistics, ContinuousClock.now - start)
        writeWhereabouts(inbox, ledger, isSample: sample != nil)
        guard await isRecorded(by: recorder) else { return .outputError }
        guard bus.statistics.addsUp, bus.statistics.pending == 0 else { return .software }
        return .success
    }

    /// Returns the recorder that `--record` asks for.
    private func recorder(capacity: Int) throws -> ErrorRecorder? {
        guard let file = options.recording else { return nil }
        let configuration = ErrorRecorder.Configuration(capacity: capacity, service: "error-bus-demo")
        return try ErrorRecorder(path: file.text, configuration: configuration, rebuilding: .orderIntake)
    }

    /// Waits until every error is recorded; returns whether they all are.
    private func isRecorded(by recorder: ErrorRecorder?) async -> Bool {
        guard let recorder, let file = options.recording else { return true }
        let statistics = await recorder.close(within: .seconds(5))
        Console.writeLine("\nErrors in \(OneLine.escaped(file.text)):\n  \(statistics)")
        return statistics.written == statistics.recorded
    }

    private func writeHeader(_ inbox: Inbox, _ payments: PaymentClient, workers: Int) {
        let made = options.inbox == nil ? options.keepsFiles ? " (made for this run)" : " (removed at the end)" : ""
        let closed = options.payments == nil ? " (nobody listens there; --payments URL changes that)" : ""
        let folder = OneLine.escaped(inbox.folder.text)
        let quarantine = OneLine.escaped(Quarantine.folder(for: inbox.folder).text)
        Console.write(
            """
            Order intake: \(workers) workers take the files, and post every error to one bus; none of them handles any.
            Its two scopes, intake and payments, have rules of their own, which are tried before the bus's.
            An error that no rule knows is written to standard error, as a line of its own.

              inbox       \(folder), \(inbox.entries.count) order files\(made)
              quarantine  \(quarantine) (for files that cannot be decoded)
              payments    \(OneLine.escaped(payments.shownEndpoint))\(closed)


            """
        )
    }

    private func writeResult(
        _ table: RuleTable,
        _ ledger: Ledger,
        _ payments: RecoveringPayments,
        _ statistics: ErrorBus.Statistics,
        _ duration: Duration
    ) {
        let title = "Rules, in the order tried, and how many of each scope's errors they matched:"
        Console.writeLine(Task.isCancelled ? "\nInterrupted. \(title)" : "\n\(title)")
        Console.writeLine(table.description)
        let seconds = (duration / .seconds(1)).formatted(.number.precision(.fractionLength(2)))
        Console.writeLine("\nOrders, in \(seconds) s:")
        let amount = (Decimal(ledger.largestHeldCents) / 100).formatted(.number.precision(.fractionLength(2)))
        for entry in Ledger.Entry.allCases {
            let worth = entry == .heldForApproval ? ", the largest worth \(amount)" : ""
            Console.writeLine("\("\(ledger[entry])".padded(to: 6, leading: true))  \(entry.rawValue)\(worth)")
        }
        Console.writeLine("\nPayments:")
        for line in payments.tally.lines(payments.circuit) { Console.writeLine(line) }
        Console.writeLine("\nErrors:")
        Console.writeLine("  \(statistics)")
        Console.writeLine("  law holds: \(statistics.addsUp ? "yes" : "NO"), pending: \(statistics.pending)")
    }

    private func writeWhereabouts(_ inbox: Inbox, _ ledger: Ledger, isSample: Bool) {
        if isSample, options.keepsFiles {
            let folder = inbox.folder.folder.text
            Console.writeLine("\nThe files are kept in \(OneLine.escaped(folder))")
        } else if !isSample, ledger[.quarantined] > 0 {
            let folder = Quarantine.folder(for: inbox.folder).text
            Console.writeLine("\nWhat could not be decoded is in \(OneLine.escaped(folder))")
        }
    }
}

extension ErrorBus.Statistics {
    /// Whether each posted error came to exactly one end, or is pending.
    var addsUp: Bool { posted == counts.reduce(0) { $0 + $1.value } }
}
