import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Hides `SIGPIPE` from the program, whose handler of it is not changed.
///
/// A write to a pipe without a reader raises the signal; it ends the process unless the program handles it.
enum BrokenPipeSignal {
    /// Calls a closure that writes to standard error, and keeps the signal that the write may raise from the program.
    ///
    /// - Parameters:
    ///   - count: The number of bytes to write.
    ///   - body: Writes them.
    static func withheld(
        _ count: Int, _ body: () -> StandardErrorDescriptor.Attempt
    ) -> StandardErrorDescriptor.Attempt {
        #if canImport(Darwin)
            // Darwin sends the signal to the process, so it would be of no use if this thread blocked it. The open file
            // raises none meanwhile; other processes share that setting, so it is restored. If it cannot be read, the
            // descriptor is closed.
            guard fcntl(StandardErrorDescriptor.number, F_GETNOSIGPIPE) == 0 else { return body() }
            _ = fcntl(StandardErrorDescriptor.number, F_SETNOSIGPIPE, 1)
            defer { _ = fcntl(StandardErrorDescriptor.number, F_SETNOSIGPIPE, 0) }
            return body()
        #else
            // Linux sends it to the writing thread, which blocks it meanwhile. A signal that was pending before stays
            // pending.
            var signal = sigset_t()
            var before = sigset_t()
            unsafe sigemptyset(&signal)
            unsafe sigaddset(&signal, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
            let wasBlocked = unsafe sigismember(&before, SIGPIPE) == 1
            // A signal that is not blocked cannot be pending.
            let wasPending = wasBlocked && isPending
            let attempt = body()
            if !wasPending, mayHaveRaised(attempt, count) {
                var noTime = timespec()
                while unsafe sigtimedwait(&signal, nil, &noTime) < 0, errno == EINTR {}
            }
            if !wasBlocked { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            return attempt
        #endif
    }

    #if !canImport(Darwin)
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
    #endif
}
