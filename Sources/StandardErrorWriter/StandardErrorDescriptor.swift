import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Calls the system to write to standard error.
///
/// The calls neither trigger nor change the program's handler for `SIGPIPE`.
enum StandardErrorDescriptor {
    /// Whether descriptor 2 was standard error when the process first used the library.
    ///
    /// If standard error was closed at that time, a file that the process opens later might receive descriptor 2, and
    /// lines would be written to that file.
    static let isInherited = isKeptByPrograms

    /// Whether the descriptor is open without the flag `FD_CLOEXEC`.
    ///
    /// A file that received descriptor 2 because standard error was closed usually has the flag. A descriptor inherited
    /// from the parent process can't have the flag, and `dup2` doesn't set it.
    private static var isKeptByPrograms: Bool {
        let flags = fcntl(STDERR_FILENO, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0
    }

    /// Whether lines can be written now: the program can close the descriptor at any time and open it again with
    /// `dup2`.
    private static var isStandardError: Bool { isInherited && isKeptByPrograms }

    /// Writes bytes as soon as the descriptor accepts them, and returns how many were written.
    ///
    /// The result is 0 if the time runs out first, if a non-blocking descriptor accepts no bytes, or if a signal
    /// interrupted the write. It is -1 if the write failed.
    static func write(_ bytes: ArraySlice<UInt8>, withinMilliseconds time: Int32) -> Int {
        var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard isStandardError else { return -1 }
        guard unsafe poll(&request, 1, time) > 0 else { return 0 }
        // Check again: the program might have closed the descriptor while this thread waited.
        guard isStandardError else { return -1 }
        let count = withoutSignal(bytes.count) { unsafe bytes.withUnsafeBytes { unsafe attempt($0) } }
        return count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? 0 : count
    }

    #if canImport(Darwin)
        private static func attempt(_ bytes: UnsafeRawBufferPointer) -> Int {
            let sent = unsafe send(STDERR_FILENO, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent >= 0 || errno != ENOTSOCK { return sent }
            return unsafe Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }

        // Disable the signal for the open file: Darwin sends it to the process, so blocking it in this thread would
        // have no effect. Restore the setting afterward, because other processes share it.
        private static func withoutSignal(_: Int, _ body: () -> Int) -> Int {
            guard fcntl(STDERR_FILENO, F_GETNOSIGPIPE) == 0 else { return body() }
            _ = fcntl(STDERR_FILENO, F_SETNOSIGPIPE, 1)
            let count = body()
            let reason = errno
            _ = fcntl(STDERR_FILENO, F_SETNOSIGPIPE, 0)
            errno = reason
            return count
        }
    #else
        private static func attempt(_ bytes: UnsafeRawBufferPointer) -> Int {
            unsafe Foundation.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }

        // Block the signal in this thread and remove it after the write: Linux sends it to the writing thread. A signal
        // that was already pending stays pending, which is possible only if it was already blocked.
        private static func withoutSignal(_ size: Int, _ body: () -> Int) -> Int {
            var (signal, before) = (sigset_t(), sigset_t())
            unsafe sigemptyset(&signal)
            unsafe sigaddset(&signal, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
            let wasBlocked = unsafe sigismember(&before, SIGPIPE) == 1
            let wasPending = wasBlocked && isSignalPending
            let count = body()
            let reason = errno
            // Check even after a partial write: the signal is also raised if the reader closes a pipe during the write.
            if count < size, !wasPending {
                var noTime = timespec()
                while unsafe sigtimedwait(&signal, nil, &noTime) < 0, errno == EINTR {}
            }
            if !wasBlocked { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            errno = reason
            return count
        }

        private static var isSignalPending: Bool {
            var pending = sigset_t()
            return unsafe sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1
        }
    #endif
}
