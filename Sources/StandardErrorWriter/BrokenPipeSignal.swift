import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Hides `SIGPIPE` from the program.
///
/// A write to a pipe without a reader raises the signal in the writing thread; it ends the process unless the program
/// handles it.
enum BrokenPipeSignal {
    /// Calls a closure that writes, and discards the signal that the write may raise.
    ///
    /// The process's signal handler belongs to the program and is not changed; only this thread blocks the signal
    /// meanwhile. A signal that was pending before stays pending.
    ///
    /// - Parameters:
    ///   - count: The number of bytes to write.
    ///   - body: Writes them.
    static func withheld(
        _ count: Int, _ body: () -> StandardErrorDescriptor.Attempt
    ) -> StandardErrorDescriptor.Attempt {
        var signal = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&signal)
        unsafe sigaddset(&signal, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
        let wasBlocked = unsafe sigismember(&before, SIGPIPE) == 1
        // A signal that is not blocked cannot be pending.
        let wasPending = wasBlocked && isPending
        let attempt = body()
        if !wasPending, mayHaveRaised(attempt, count) { discard(&signal) }
        if !wasBlocked { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return attempt
    }

    /// Whether a write may have raised the signal.
    ///
    /// If the reader closes the pipe during the write, the call raises the signal and still returns a smaller count.
    private static func mayHaveRaised(_ attempt: StandardErrorDescriptor.Attempt, _ count: Int) -> Bool {
        switch attempt {
        case .wrote(let written): written < count
        case .failed(let error): error == EPIPE
        case .impossible: false
        }
    }

    private static var isPending: Bool {
        var pending = sigset_t()
        unsafe sigemptyset(&pending)
        unsafe sigpending(&pending)
        return unsafe sigismember(&pending, SIGPIPE) == 1
    }

    private static func discard(_ signal: inout sigset_t) {
        #if canImport(Darwin)
            // `sigwait` returns at once, since the signal is pending in this thread.
            var taken: Int32 = 0
            if isPending { unsafe sigwait(&signal, &taken) }
        #else
            var noTime = timespec()
            while unsafe sigtimedwait(&signal, nil, &noTime) < 0, errno == EINTR {}
        #endif
    }
}
