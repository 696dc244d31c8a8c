import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Writes lines to standard error without making callers wait.
///
/// A line is written immediately if no other bytes are pending, a pipe would accept the line in one piece, and `poll`
/// reports that standard error is ready. Otherwise the line is buffered, and a dedicated thread writes it. So a caller
/// waits only if another process fills a pipe between `poll` and `write`, or if a terminal accepts only part of the
/// line.
package enum StandardError {
    /// The pending lines; they are written at exit if the process exits before the thread has written them.
    static let buffer: LockedLineBuffer = {
        // Set the identifier here, so that a process forked later sees its parent's identifier.
        _ = process
        noteDescriptor()
        atexit { StandardError.writeAtExit() }
        return LockedLineBuffer()
    }()

    private static let threadWakes = DispatchSemaphore(value: 0)

    /// Checks on the first call whether descriptor 2 is standard error; if it isn't, the library never writes to it.
    ///
    /// Call this function as early as possible, before the program opens a file that might receive descriptor 2.
    package static func noteDescriptor() { _ = StandardErrorDescriptor.isInherited }

    /// Writes one whole line without waiting.
    ///
    /// If the buffer is full or the write fails, the line counts as lost. A notice with the number of lost lines is
    /// written as soon as standard error accepts lines again.
    package static func write(_ line: String) {
        let bytes = bytes(of: line)
        wake(buffer.withLock { add(bytes, to: &$0) })
    }

    /// The number of buffered bytes that aren't written yet.
    package static var pendingCount: Int { buffer.withLock { $0.pending } }

    static func bytes(of line: String) -> [UInt8] { Array("\(line)\n".utf8) }

    /// Adds lines and, unless the thread is writing, immediately writes as many bytes as standard error accepts.
    ///
    /// Returns the thread's state before the call if the thread must now be woken or started, otherwise nil.
    static func add(_ lines: [UInt8], to buffer: inout LineBuffer, limit: Int = 1 << 20) -> LineBuffer.Thread? {
        buffer.add(lines, limit: limit)
        if buffer.thread == .writing || writeAtOnce(&buffer) { return nil }
        defer { buffer.thread = .writing }
        return buffer.thread
    }

    /// Writes while standard error accepts bytes; returns whether every byte is written.
    static func writeAtOnce(_ buffer: inout LineBuffer) -> Bool {
        while true {
            let bytes = buffer.next()
            if bytes.isEmpty { return true }
            guard bytes.count <= LineBuffer.atomicSize else { return false }
            let count = StandardErrorDescriptor.write(bytes, withinMilliseconds: 0)
            buffer.wrote(count)
            if count == 0 { return false }
        }
    }

    // MARK: The thread

    /// Wakes or starts the thread if needed.
    static func wake(_ thread: LineBuffer.Thread?) {
        switch thread {
        case nil, .writing: break
        case .resting: threadWakes.signal()
        // If the thread can't be started, mark it as absent: the next line that is added tries to start it again.
        case .absent: if !startThread() { buffer.withLock { $0.thread = .absent } }
        }
    }

    /// Starts the thread and returns whether it was started.
    ///
    /// The thread blocks all signals, so the program's signal handlers run on the program's own threads. It isn't
    /// detached, because it never ends.
    private static func startThread() -> Bool {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        #if canImport(Darwin) || canImport(Musl)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        // Don't return a value from the thread: in Android's declaration, the result isn't optional.
        return unsafe pthread_create(&thread, nil, { _ in StandardError.runThread() }, nil) == 0
    }

    private static func runThread() -> Never {
        while true {
            var bytes = buffer.withLock { $0.next() }
            while !bytes.isEmpty {
                // Limit the wait: while the thread waits, it can't detect that the program has replaced standard
                // error.
                let count = StandardErrorDescriptor.write(bytes, withinMilliseconds: 100)
                // Pause before the next attempt: another process might have filled the pipe since `poll` and might do
                // so again.
                if count == 0 { usleep(1_000) }
                // Rest in the same step: once nothing is buffered, callers write their lines themselves.
                bytes = buffer.withLock { buffer in
                    buffer.wrote(count)
                    let bytes = buffer.next()
                    if bytes.isEmpty { buffer.thread = .resting }
                    return bytes
                }
            }
            threadWakes.wait()
        }
    }
}
