import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Writes lines to standard error without making callers wait.
///
/// What standard error does not accept at once is buffered, and written by a dedicated thread. ``LineBuffer`` decides
/// who writes what; this type performs those steps, under no lock.
package enum StandardError {
    /// The lines that wait; at exit those that are left are written.
    static let buffer: LockedLineBuffer = {
        // Determined here, so that a process forked from this one later sees its parent's identifier.
        _ = process
        atexit { StandardError.writeAtExit() }
        return LockedLineBuffer()
    }()

    private static let threadWakes = DispatchSemaphore(value: 0)

    /// Writes one whole line without waiting.
    ///
    /// If no lines wait and standard error accepts the line, it is written when this returns. Otherwise it is buffered;
    /// if the buffer is full, the line is counted as lost, and the count is written later. A line whose write fails is
    /// counted as lost too.
    package static func write(_ line: String) {
        let bytes = bytes(of: line)
        act(on: buffer.withLock { $0.arrive(bytes) }, isThread: false)
    }

    /// The number of bytes that wait to be written.
    package static var pendingCount: Int { buffer.withLock { $0.pending } }

    static func bytes(of line: String) -> [UInt8] { Array("\(line)\n".utf8) }

    private static func act(on step: LineBuffer.Step, isThread: Bool) {
        var step = step
        var stalls = StallCount()
        while true {
            switch step {
            case .rest:
                return
            case .write(let bytes, let target):
                let outcome = StandardErrorDescriptor.write(bytes, continuing: target, mayWait: isThread)
                stalls.note(outcome)
                step = buffer.withLock { $0.attempted(outcome) }
            case .wait:
                stalls.wait(milliseconds: 100)
                step = buffer.withLock { $0.again() }
            case .wakeThread, .startThread:
                return handOver(step)
            }
        }
    }

    /// Wakes or starts the thread.
    static func handOver(_ step: LineBuffer.Step) {
        if step == .wakeThread {
            threadWakes.signal()
        } else if !startThread() {
            buffer.withLock { $0.threadDidNotStart() }
        }
    }

    /// Starts the thread, which blocks all signals: the program's handlers run on the program's own threads.
    ///
    /// - Returns: Whether it was started.
    private static func startThread() -> Bool {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let isStarted =
            unsafe pthread_create(
                &thread, nil,
                { _ in
                    StandardError.runThread()
                    return nil
                }, nil) == 0
        #if canImport(Darwin)
            if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #else
            if isStarted { pthread_detach(thread) }
        #endif
        return isStarted
    }

    private static func runThread() {
        while true {
            act(on: buffer.withLock { $0.threadBegins() }, isThread: true)
            threadWakes.wait()
        }
    }
}

/// The number of consecutive times that a write to standard error would have blocked.
///
/// `poll` may report room that another process fills first, and for some files it always reports room; trying again at
/// once each time would keep a core busy.
struct StallCount {
    private var count: UInt32 = 0

    mutating func note(_ outcome: LineBuffer.Outcome) {
        count = outcome == .wouldBlock ? count + 1 : 0
    }

    /// Waits until standard error accepts bytes, or the time is over.
    ///
    /// Callers pass a short time, since it is not noticed during the wait if the program replaces the file.
    func wait(milliseconds: Int32) {
        let isReady = StandardErrorDescriptor.wait(milliseconds: milliseconds)
        if isReady, count > 1 { usleep(1_000 * min(count, 10)) }
    }
}
