import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

extension StandardError {
    /// How long the end of the process may be held up, by all handlers of it together.
    ///
    /// Tests of the order of lines give it more: a thread that gets no processor in this time has its lines written
    /// out of turn.
    static var exitLimit: Duration {
        get { .nanoseconds(exitNanoseconds.load(ordering: .relaxed)) }
        set { exitNanoseconds.store(newValue.nanoseconds, ordering: .relaxed) }
    }

    private static let exitNanoseconds = Atomic<Int64>(100_000_000)

    /// The process whose lines these are.
    static let process = getpid()
    private static let nanosecondsSpent = Atomic<Int64>(0)

    /// Writes what is buffered, and then some more lines, as far as standard error takes them within ``exitLimit``.
    ///
    /// For `atexit` handlers: it waits for no lock, since the thread that holds one may be stopped, or be this very
    /// one, interrupted by a signal whose handler exits. If it is held all the time, or whoever writes does not come
    /// back, what is left is written out of turn.
    ///
    /// - Parameter lines: Lines without their ends.
    static func writeAtExit(_ lines: [String] = []) {
        // What a forked process finds here is its parent's to write.
        guard getpid() == process else { return }
        let began = ContinuousClock.now
        let end = began + max(.zero, exitLimit - .nanoseconds(nanosecondsSpent.load(ordering: .relaxed)))
        defer {
            let spent = (ContinuousClock.now - began) / .nanoseconds(1)
            nanosecondsSpent.wrappingAdd(Int64(spent), ordering: .relaxed)
        }
        var added = lines.flatMap(bytes(of:))
        repeat {
            if let step = buffer.withLockIfAvailable({ $0.leave(adding: added) }) {
                added = []
                if let step, write(step, until: end) { return }
            }
            usleep(1_000)
        } while ContinuousClock.now < end
        added = (buffer.withLockIfAvailable { $0.takeRest() } ?? []) + added
        writeBeside(added)
    }

    /// - Returns: Whether all is written; else the thread writes, or the time is up.
    private static func write(_ step: LineBuffer.Step, until end: ContinuousClock.Instant) -> Bool {
        var step = step
        var stalls = StallCount()
        while true {
            let answer: LineBuffer.Step?
            switch step {
            case .rest:
                return true
            case .write(let bytes, let target):
                let outcome = StandardErrorDescriptor.write(bytes, continuing: target)
                stalls.note(outcome)
                answer = locked(until: end) { $0.attempted(outcome) }
            case .wait:
                let left = (end - .now) / .milliseconds(1)
                if left <= 0 { return false }
                stalls.wait(milliseconds: Int32(left) + 1)
                answer = locked(until: end) { $0.again() }
            case .wakeThread, .startThread:
                handOver(step)
                return false
            }
            guard let answer else { return false }
            step = answer
        }
    }

    private static func locked(
        until end: ContinuousClock.Instant, _ body: (inout LineBuffer) -> LineBuffer.Step
    ) -> LineBuffer.Step? {
        while true {
            if let step = buffer.withLockIfAvailable(body) { return step }
            guard ContinuousClock.now < end else { return nil }
            usleep(1_000)
        }
    }

    /// Writes lines with no regard to who else writes.
    private static func writeBeside(_ lines: [UInt8]) {
        var own = LineBuffer(limit: .max)
        var step = own.leave(adding: lines)
        while case .write(let bytes, let target) = step {
            step = own.attempted(StandardErrorDescriptor.write(bytes, continuing: target))
        }
    }
}
