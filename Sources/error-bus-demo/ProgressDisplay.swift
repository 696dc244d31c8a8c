/// Shows the intake's progress: on a terminal one line that is overwritten, elsewhere a line now and then.
///
/// It is an actor, so that lines of two workers keep their order.
actor ProgressDisplay {
    private let total: Int
    private let ledger: Ledger
    private let isInteractive: Bool
    private let show: @Sendable (String) -> Void
    private var done = 0
    private var doneAtLastLine = 0
    private var lastLine = ContinuousClock.now

    /// - Parameter show: Writes a line, which includes its end.
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

    /// Counts a file that is done.
    func fileDone() {
        done += 1
        guard isDue else { return }
        write()
        doneAtLastLine = done
        lastLine = .now
    }

    /// Writes the last line, which stays; called when everything is done and handled.
    func finish() {
        write()
        if isInteractive { show("\n") }
    }

    private var isDue: Bool {
        let age = ContinuousClock.now - lastLine
        if isInteractive { return age >= .milliseconds(50) }
        guard done < total else { return false }
        // A line after each fifth of the work, and at least every two seconds.
        return done - doneAtLastLine >= max(total / 5, 1) || age >= .seconds(2)
    }

    private func write() {
        let line = "  \(done) of \(total) files taken, \(ledger.errorCount) errors handled"
        // The cursor returns to the start of the line, so that the next line, or a line of the bus, overwrites it.
        show(isInteractive ? "\(line)\u{1B}[K\r" : "\(line)\n")
    }
}
