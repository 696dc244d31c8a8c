import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

extension StandardError {
    /// The longest time by which all exit handlers together can delay the exit of the process.
    ///
    /// Tests that check the order of lines set a longer time. Otherwise, a writer thread that receives no processor
    /// time within the limit would cause lines to be written out of order.
    package static var exitLimit: Duration {
        get { .milliseconds(exitMilliseconds.load(ordering: .relaxed)) }
        set { exitMilliseconds.store(Int64(newValue / .milliseconds(1)), ordering: .relaxed) }
    }

    private static let exitMilliseconds = Atomic<Int64>(100)
    /// The time at which the limit expires, set when the first exit handler begins.
    private static let exitEnd = ContinuousClock.now + exitLimit

    /// Whether an exit handler can still wait.
    package static var hasTimeAtExit: Bool { ContinuousClock.now < exitEnd }

    /// Whether an exit handler can still add lines: true for two thirds of the limit, so that time remains to write
    /// them.
    package static var hasTimeForLinesAtExit: Bool { ContinuousClock.now < exitEnd - exitLimit / 3 }

    /// The process that the buffered lines belong to.
    static let process = getpid()

    /// Whether the buffered lines belong to the calling process; false in a forked process.
    package static var isOfThisProcess: Bool { getpid() == process }

    /// Writes the buffered lines and then additional lines, as many as standard error accepts within ``exitLimit``.
    ///
    /// Call it from `atexit` handlers. It never blocks on a lock, because the thread that holds the lock might be
    /// stopped. The holder might even be the calling thread, if a signal handler interrupted it and called `exit`. If
    /// the lock isn't released or the writer thread doesn't finish in time, the remaining lines are written out of
    /// order.
    ///
    /// - Parameter lines: The additional lines, without newlines.
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
