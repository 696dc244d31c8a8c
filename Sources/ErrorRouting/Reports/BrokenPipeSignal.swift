#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The signal that a write to a pipe without a reader raises in the writing thread, and that ends the process unless it
/// has a handler of its own.
enum BrokenPipeSignal {
    /// Calls a body that writes, so that nobody learns of the signal which it raises.
    ///
    /// The process's handler is left alone, which belongs to the program; only this thread does not hear the signal
    /// meanwhile. One that was pending before stays so.
    static func withheld(
        _ count: Int, _ body: () -> StandardErrorDescriptor.Attempt
    ) -> StandardErrorDescriptor.Attempt {
        var signal = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&signal)
        unsafe sigaddset(&signal, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
        let wasBlocked = unsafe sigismember(&before, SIGPIPE) == 1
        // Where it is not blocked it cannot be pending.
        let wasPending = wasBlocked && isPending
        let attempt = body()
        if !wasPending, mayHaveRaised(attempt, count) { takeBack(&signal) }
        if !wasBlocked { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return attempt
    }

    /// A reader may close a pipe that has taken a part of the bytes: then the signal comes with a count.
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

    private static func takeBack(_ signal: inout sigset_t) {
        #if canImport(Darwin)
            // It is raised in this thread, which blocks it, so it waits for nobody.
            var taken: Int32 = 0
            if isPending { unsafe sigwait(&signal, &taken) }
        #else
            var noTime = timespec()
            while unsafe sigtimedwait(&signal, nil, &noTime) < 0, errno == EINTR {}
        #endif
    }
}
