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
    package static var exitLimit: Duration {
        get { .milliseconds(exitMilliseconds.load(ordering: .relaxed)) }
        set { exitMilliseconds.store(Int64(newValue / .milliseconds(1)), ordering: .relaxed) }
    }

    private static let exitMilliseconds = Atomic<Int64>(100)
    /// Determined when the first exit handler begins.
    private static let exitEnd = ContinuousClock.now + exitLimit

    /// Whether an exit handler may wait longer.
    package static var hasTimeAtExit: Bool { ContinuousClock.now < exitEnd }

    /// The process that the buffered lines belong to.
    static let process = getpid()

    /// Writes the buffered lines and then further lines, as many as standard error accepts within ``exitLimit``.
    ///
    /// For `atexit` handlers. It never blocks on a lock, since the thread that holds it may be stopped, or be this
    /// thread, interrupted by a signal whose handler calls `exit`. If the lock is not released, or the writer thread
    /// does not finish in time, the remaining lines are written out of order.
    ///
    /// - Parameter lines: Further lines without their ends.
    package static func writeAtExit(_ lines: [String] = []) {
        // In a forked process the buffered lines are the parent's, which writes them itself.
        guard getpid() == process else { return }
        var added = lines.flatMap(bytes(of:))
        repeat {
            let answer = buffer.withLockIfAvailable { buffer in
                (thread: add(added, to: &buffer, limit: .max), isDone: buffer.pending == 0)
            }
            if let answer {
                if answer.isDone { return }
                added = []
                wake(answer.thread)
            }
            usleep(1_000)
        } while hasTimeAtExit
        var rest = buffer.withLockIfAvailable { $0.takeOver() } ?? LineBuffer()
        rest.add(added, limit: .max)
        _ = writeAtOnce(&rest)
    }
}
