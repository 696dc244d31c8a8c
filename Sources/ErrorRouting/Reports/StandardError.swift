import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Where errors go that have nowhere else to go.
///
/// Nobody waits here: what standard error does not take at once is buffered, and written by a thread that does nothing
/// else. ``LineBuffer`` says who writes what; this acts on it, under no lock.
enum StandardError {
    /// What is left when the process exits is written then.
    static let buffer: Locked<LineBuffer> = {
        // Now, and not in a process forked from this one.
        _ = process
        atexit { StandardError.writeAtExit() }
        return Locked(LineBuffer())
    }()

    private static let threadWakes = DispatchSemaphore(value: 0)

    /// Writes one line, whole, and does not wait.
    ///
    /// If nothing is in the way it has been written when this returns. Else it follows when standard error takes it; if
    /// too much waits already it is counted, and the count is written in its place. A write that fails is given up, and
    /// counted: there is no third place.
    static func write(_ line: String) {
        let bytes = bytes(of: line)
        act(on: buffer.withLock { $0.arrive(bytes) }, isThread: false)
    }

    static func bytes(of line: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.utf8.count + 1)
        bytes.append(contentsOf: line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

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

    /// Wakes the thread, or starts it.
    static func handOver(_ step: LineBuffer.Step) {
        if step == .wakeThread {
            threadWakes.signal()
        } else if !startThread() {
            buffer.withLock { $0.threadDidNotStart() }
        }
    }

    /// Starts the thread, which hears no signals: their handlers are the program's, and run on its own threads.
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
            if let thread { unsafe pthread_detach(thread) }
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
