import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

extension StandardError {
    /// The longest time for which all exit handlers together may delay the end of the process.
    ///
    /// Tests of the order of lines set a longer time: if a thread gets no processor in this time, its lines are written
    /// out of order.
    static var exitLimit: Duration {
        get { .milliseconds(exitMilliseconds.load(ordering: .relaxed)) }
        set { exitMilliseconds.store(Int64(newValue / .milliseconds(1)), ordering: .relaxed) }
    }

    private static let exitMilliseconds = Atomic<Int64>(100)

    /// The process that the buffered lines belong to.
    static let process = getpid()
    private static let nanosecondsSpent = Atomic<Int64>(0)

    /// Writes the buffered lines and then further lines, as many as standard error accepts within ``exitLimit``.
    ///
    /// For `atexit` handlers. It never blocks on a lock, since the thread that holds it may be stopped, or be this
    /// thread, interrupted by a signal whose handler calls `exit`. If the lock is not released, or another writer does
    /// not finish in time, the remaining lines are written out of order.
    ///
    /// - Parameter lines: Further lines without their ends.
    package static func writeAtExit(_ lines: [String] = []) {
        // In a forked process the buffered lines are the parent's, which writes them itself.
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

    /// Performs steps until all is written, the thread continues, or the time is over.
    ///
    /// - Returns: Whether all is written.
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

    /// Writes lines without waiting for another writer's turn to end.
    private static func writeBeside(_ lines: [UInt8]) {
        var own = LineBuffer(limit: .max)
        var step = own.leave(adding: lines)
        while case .write(let bytes, let target) = step {
            step = own.attempted(StandardErrorDescriptor.write(bytes, continuing: target))
        }
    }
}
