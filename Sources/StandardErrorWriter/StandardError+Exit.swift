import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

extension StandardError {
    /// The longest time by which all exit handlers together may delay the end of the process.
    ///
    /// Tests of the order of lines set a longer time, because a thread's lines are written out of order if it receives
    /// no processor time within the limit.
    package static var exitLimit: Duration {
        get { .milliseconds(exitMilliseconds.load(ordering: .relaxed)) }
        set { exitMilliseconds.store(Int64(newValue / .milliseconds(1)), ordering: .relaxed) }
    }

    private static let exitMilliseconds = Atomic<Int64>(100)
    /// The end of that time, set when the first exit handler begins.
    private static let exitEnd = ContinuousClock.now + exitLimit

    /// Whether an exit handler may wait longer.
    package static var hasTimeAtExit: Bool { ContinuousClock.now < exitEnd }

    /// Whether an exit handler may still add lines: two thirds of the time, so that the rest is left for writing them.
    package static var hasTimeForLinesAtExit: Bool { ContinuousClock.now < exitEnd - exitLimit / 3 }

    /// The process that the buffered lines belong to.
    static let process = getpid()

    /// Whether this process was not forked from the one that the buffered lines belong to.
    package static var isOfThisProcess: Bool { getpid() == process }

    /// Writes the buffered lines and then further ones, as many as standard error accepts within ``exitLimit``.
    ///
    /// Call it from `atexit` handlers. It never blocks on a lock, because the thread that holds the lock might be
    /// stopped. It might even be this thread, interrupted by a signal handler that calls `exit`. If the lock isn't
    /// released, or the writer thread doesn't finish in time, the remaining lines are written out of order.
    ///
    /// - Parameter lines: Further lines without newlines.
    package static func writeAtExit(_ lines: [String] = []) {
        // Skip the buffered lines in a forked process: they belong to the parent, which writes them itself.
        guard isOfThisProcess else { return }
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
        var rest = buffer.withLockIfAvailable { $0.takeRest() } ?? LineBuffer()
        rest.add(added, limit: .max)
        _ = writeAtOnce(&rest)
    }
}
