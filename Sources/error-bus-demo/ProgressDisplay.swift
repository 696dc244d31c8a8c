/// Shows how far the intake is: one line that changes on a terminal; elsewhere a line now and then.
///
/// An actor, so that lines of two workers do not change places.
actor ProgressDisplay {
    private let total: Int
    private let ledger: Ledger
    private let isInteractive: Bool
    private let show: @Sendable (String) -> Void
    private var done = 0
    private var doneAtLastLine = 0
    private var lastLine = ContinuousClock.now

    /// - Parameter show: Takes the lines, each with what ends it.
    init(
        total: Int,
        ledger: Ledger,
        isInteractive: Bool = Console.isInteractive,
        show: @escaping @Sendable (String) -> Void = { Console.write($0) }
    ) {
        self.total = total
        self.ledger = ledger
        self.isInteractive = isInteractive
        self.show = show
    }

    /// One more file is done with.
    func fileDone() {
        done += 1
        guard isDue else { return }
        write()
        doneAtLastLine = done
        lastLine = .now
    }

    /// Everything is done and handled: the last line, which stays.
    func finish() {
        write()
        if isInteractive { show("\n") }
    }

    private var isDue: Bool {
        let age = ContinuousClock.now - lastLine
        if isInteractive { return age >= .milliseconds(50) }
        guard done < total else { return false }
        // Every fifth of the work, and at least every other second where the work is slow.
        return done - doneAtLastLine >= max(total / 5, 1) || age >= .seconds(2)
    }

    private func write() {
        let line = "  \(done) of \(total) files taken, \(ledger.errorCount) errors handled"
        // The cursor goes back to the start of the line: an error that the bus prints replaces it, and so does the
        // next.
        show(isInteractive ? "\(line)\u{1B}[K\r" : "\(line)\n")
    }
}
