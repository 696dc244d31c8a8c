import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The system's calls on standard error.
///
/// The program's handler of `SIGPIPE` is neither called nor changed.
enum StandardErrorDescriptor {
    /// Waits until the descriptor accepts bytes, or has failed.
    ///
    /// - Returns: False if the time is over.
    static func accepts(withinMilliseconds time: Int32) -> Bool {
        var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, time) > 0
    }

    /// Writes bytes.
    ///
    /// - Returns: The number of written bytes; 0 if a non-blocking descriptor accepts none, or a signal came; -1 if the
    ///   write failed.
    static func write(_ bytes: ArraySlice<UInt8>) -> Int {
        let count = withoutSignal(bytes.count) { unsafe bytes.withUnsafeBytes { unsafe attempt($0) } }
        return count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? 0 : count
    }

    #if canImport(Darwin)
        private static func attempt(_ bytes: UnsafeRawBufferPointer) -> Int {
            let sent = unsafe send(STDERR_FILENO, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent >= 0 || errno != ENOTSOCK { return sent }
            return unsafe Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }

        // Darwin sends the signal to the process, so it would be of no use if this thread blocked it. The open file
        // raises none meanwhile; other processes share that setting, so it is restored.
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

        // Linux sends the signal to the writing thread, which blocks it meanwhile, and removes it. A signal that was
        // pending before stays pending; one that is not blocked cannot be pending.
        private static func withoutSignal(_ size: Int, _ body: () -> Int) -> Int {
            var (signal, before, pending) = (sigset_t(), sigset_t(), sigset_t())
            unsafe sigemptyset(&signal)
            unsafe sigemptyset(&pending)
            unsafe sigaddset(&signal, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
            let wasBlocked = unsafe sigismember(&before, SIGPIPE) == 1
            if wasBlocked { unsafe sigpending(&pending) }
            let count = body()
            let reason = errno
            // If the reader closes a pipe during the write, the signal is raised although some bytes were written.
            let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
            if count < size, !wasPending {
                var noTime = timespec()
                while unsafe sigtimedwait(&signal, nil, &noTime) < 0, errno == EINTR {}
            }
            if !wasBlocked { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            errno = reason
            return count
        }
    #endif
}
