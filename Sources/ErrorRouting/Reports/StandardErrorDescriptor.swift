#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// How standard error is written without waiting, whatever kind of file it is.
///
/// `O_NONBLOCK` belongs to the open file, which other processes share, so it is never set here. Each kind is written by
/// means of its own instead, and nothing is kept from one write to the next: the program may put another file in place
/// of standard error at any time, or close it, and a descriptor of ours would then keep a pipe's reader waiting for its
/// end. So each write looks at the file again, which costs about as much as the write itself; a terminal, or a named
/// pipe, is opened again too, for about ten times as much.
enum StandardErrorDescriptor {
    static let number = STDERR_FILENO

    /// What a call of the system's came to.
    enum Attempt {
        case wrote(Int)
        case failed(Int32)
        /// There is no call that would not wait.
        case impossible

        init(_ result: Int) { self = result < 0 ? .failed(errno) : .wrote(result) }
    }

    /// Writes what the file takes at once.
    ///
    /// - Parameters:
    ///   - bytes: What to write; not empty.
    ///   - target: The file that has the beginning of the line with which the bytes go on; nil where they begin one.
    ///   - mayWait: Whether the caller is a thread for which nobody waits.
    /// - Returns: What became of it.
    static func write(
        _ bytes: ArraySlice<UInt8>, continuing target: LineBuffer.Target?, mayWait: Bool = false
    ) -> LineBuffer.Outcome {
        while true {
            guard let file = StandardErrorFile(number) else { return .failed }
            if let target, target != file.target { return .isAnotherFile }
            var attempt = unsafe bytes.withUnsafeBytes { unsafe attemptWithoutWaiting($0, file) }
            if case .impossible = attempt {
                guard mayWait else { return .needsThread }
                attempt = unsafe bytes.withUnsafeBytes { unsafe attemptWhereThereIsRoom($0) }
            }
            switch attempt {
            case .wrote(let count): return count > 0 ? .wrote(count, file.target) : .wouldBlock
            case .failed(EINTR): continue
            case .failed(EAGAIN), .failed(EWOULDBLOCK), .failed(ENOBUFS): return .wouldBlock
            case .failed, .impossible: return .failed
            }
        }
    }

    /// Waits until the file takes something, or has failed.
    ///
    /// - Returns: Whether it says so; false when the time is up.
    static func wait(milliseconds: Int32) -> Bool {
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    private static func attemptWithoutWaiting(_ bytes: UnsafeRawBufferPointer, _ file: StandardErrorFile) -> Attempt {
        switch file.kind {
        case .plain:
            return unsafe Attempt(systemWrite(number, bytes))
        case .socket:
            #if canImport(Darwin)
                return BrokenPipeSignal.withheld(bytes.count) {
                    unsafe Attempt(send(number, bytes.baseAddress, bytes.count, MSG_DONTWAIT))
                }
            #else
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                return unsafe Attempt(send(number, bytes.baseAddress, bytes.count, flags))
            #endif
        case .pipe:
            return BrokenPipeSignal.withheld(bytes.count) {
                let attempt = unsafe NonblockingWrite.attempt(number, bytes)
                guard case .impossible = attempt else { return attempt }
                return unsafe attemptReopened(bytes, file)
            }
        case .terminal:
            return unsafe attemptReopened(bytes, file)
        case .other:
            return .impossible
        }
    }

    /// Writes to the same pipe or terminal as an open file of its own, whose flags are nobody else's.
    private static func attemptReopened(_ bytes: UnsafeRawBufferPointer, _ file: StandardErrorFile) -> Attempt {
        guard let path = file.path else { return .impossible }
        // Not to become the session's terminal, and not to be had by a process that is started meanwhile. Appending
        // matters to neither, only to a regular file that is put in place right now: better a line at its end.
        let flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_APPEND
        let reopened = unsafe open(path, flags)
        guard reopened >= 0 else {
            // A pipe that nobody reads is not opened. Whatever else the reason (the terminal is another user's, there
            // are no descriptors left), the file itself may be in order.
            return file.kind == .pipe && errno == ENXIO ? .failed(EPIPE) : .impossible
        }
        defer { close(reopened) }
        // It was replaced between two calls, so it has to be looked at again.
        guard StandardErrorFile(reopened)?.target == file.target else { return .failed(EINTR) }
        return unsafe Attempt(systemWrite(reopened, bytes))
    }

    /// Writes with a call that might wait, so little and so late that it does not, unless another process is faster.
    private static func attemptWhereThereIsRoom(_ bytes: UnsafeRawBufferPointer) -> Attempt {
        guard wait(milliseconds: 0) else { return .failed(EAGAIN) }
        let piece = unsafe UnsafeRawBufferPointer(rebasing: unsafe bytes.prefix(Int(PIPE_BUF)))
        return BrokenPipeSignal.withheld(piece.count) { unsafe Attempt(systemWrite(number, piece)) }
    }
}

/// The system's `write`, whose name the type's own function hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
