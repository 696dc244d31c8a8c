import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Writes to standard error without waiting, whatever kind of file it is.
///
/// `O_NONBLOCK` belongs to the open file, which other processes share, so it is never set here. Each kind of file has
/// its own way instead, and no state is kept between writes: the program may replace or close standard error at any
/// time, and if a descriptor were kept open here, the reader of a pipe would wait for its end forever. So each write
/// checks the file again, which costs about as much as the write itself; a terminal, or a pipe if ``NonblockingWrite``
/// is not available, is opened again too, which costs about ten times as much.
enum StandardErrorDescriptor {
    static let number = STDERR_FILENO

    /// The result of a system call.
    enum Attempt {
        case wrote(Int)
        case failed(Int32)
        /// No call can write to this file without waiting.
        case impossible

        init(_ result: Int) { self = result < 0 ? .failed(errno) : .wrote(result) }
    }

    /// Writes the bytes that the file accepts at once.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to write; not empty.
    ///   - target: The file with the beginning of the line that the bytes continue; nil if they begin a line.
    ///   - mayWait: Whether the caller is the writer thread, for which no other thread waits.
    /// - Returns: The result.
    static func write(
        _ bytes: ArraySlice<UInt8>, continuing target: LineBuffer.Target?, mayWait: Bool = false
    ) -> LineBuffer.Outcome {
        while true {
            guard let file = StandardErrorFile(number) else { return .failed }
            if let target, target != file.target { return .isAnotherFile }
            var attempt = unsafe bytes.withUnsafeBytes { unsafe attemptWithoutWaiting($0, file) }
            if case .impossible = attempt {
                guard mayWait else { return .needsThread }
                attempt = unsafe bytes.withUnsafeBytes { unsafe attemptWhereThereIsRoom($0, file) }
            }
            switch attempt {
            case .wrote(let count): return count > 0 ? .wrote(count, file.target) : .wouldBlock
            case .failed(EINTR): continue
            case .failed(EAGAIN), .failed(EWOULDBLOCK), .failed(ENOBUFS): return .wouldBlock
            case .failed, .impossible: return .failed
            }
        }
    }

    /// Waits until the file accepts bytes, or has failed.
    ///
    /// - Returns: True if it does; false if the time is over.
    static func wait(milliseconds: Int32) -> Bool {
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    private static func attemptWithoutWaiting(_ bytes: UnsafeRawBufferPointer, _ file: StandardErrorFile) -> Attempt {
        switch file.kind {
        case .plain:
            return unsafe Attempt(systemWrite(number, bytes))
        case .socket:
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            return unsafe Attempt(send(number, bytes.baseAddress, bytes.count, flags))
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

    /// Opens the same pipe or terminal again with `O_NONBLOCK`, which affects no other process, and writes to it.
    private static func attemptReopened(_ bytes: UnsafeRawBufferPointer, _ file: StandardErrorFile) -> Attempt {
        guard let path = file.path else { return .impossible }
        // `O_NOCTTY`: must not become the session's terminal. `O_CLOEXEC`: must not be inherited by a process that is
        // started meanwhile. `O_APPEND` matters only if a regular file replaces this one right now: then nothing in
        // that file is overwritten.
        let flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_APPEND
        let reopened = unsafe open(path, flags)
        guard reopened >= 0 else {
            // A pipe without a reader cannot be opened. For all other reasons (the terminal belongs to another user, no
            // descriptor is left) the file itself may still be writable.
            return file.kind == .pipe && errno == ENXIO ? .failed(EPIPE) : .impossible
        }
        defer { close(reopened) }
        // Another file has replaced it between the calls: the caller tries again, as after an interruption.
        guard StandardErrorFile(reopened)?.target == file.target else { return .failed(EINTR) }
        return unsafe Attempt(systemWrite(reopened, bytes))
    }

    /// Writes with calls that might wait, but only after `poll` has said that there is room, and no more than there is
    /// room for then, so that one waits only if another process fills that room first.
    ///
    /// That is `PIPE_BUF` bytes in a pipe. In a terminal it may be a single byte, and to write more would wait, for ever
    /// if nobody reads. At most 64 bytes are written to a terminal before the file is checked again.
    private static func attemptWhereThereIsRoom(
        _ bytes: UnsafeRawBufferPointer, _ file: StandardErrorFile
    ) -> Attempt {
        let (size, room) = file.kind == .terminal ? (64, 1) : (Int(PIPE_BUF), Int(PIPE_BUF))
        return BrokenPipeSignal.withheld(min(bytes.count, size)) {
            var rest = unsafe bytes.prefix(size)[...]
            while unsafe !rest.isEmpty, wait(milliseconds: 0) {
                let piece = unsafe UnsafeRawBufferPointer(rebasing: unsafe rest.prefix(room))
                let attempt = unsafe Attempt(systemWrite(number, piece))
                guard case .wrote(let count) = attempt else {
                    if unsafe rest.startIndex > 0 { break }
                    return attempt
                }
                unsafe rest = rest.dropFirst(count)
            }
            let count = unsafe rest.startIndex
            return count > 0 ? .wrote(count) : .failed(EAGAIN)
        }
    }
}

/// Calls the system's `write`, whose name is hidden by the type's own function.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// A write to a pipe that does not wait, although `O_NONBLOCK` is not set.
///
/// Linux has a call for that, which Swift's C library modules do not declare: `pwritev2` with `RWF_NOWAIT`, for pipes
/// since Linux 6.4. It needs no new descriptor, so it works when none is left, and when the pipe must not be opened
/// again, as after a change of user. Without that call the pipe is opened again instead.
private enum NonblockingWrite {
    #if os(Linux) || os(Android)
        private typealias Function =
            @convention(c) @Sendable (Int32, UnsafePointer<iovec>, Int32, Int, Int32) -> Int

        private static let function: Function? = {
            // The type below is right only on 64-bit systems, where the offset is an `Int`.
            guard Int.bitWidth == 64, let symbol = unsafe dlsym(nil, "pwritev2") else { return nil }
            // The function has this type in every C library for Linux.
            return unsafe unsafeBitCast(symbol, to: Function.self)
        }()
    #endif

    static func attempt(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> StandardErrorDescriptor.Attempt {
        #if os(Linux) || os(Android)
            guard let function = unsafe function else { return .impossible }
            var piece = unsafe iovec(
                iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            let noWaiting: Int32 = 8
            let result = unsafe function(descriptor, &piece, 1, -1, noWaiting)
            switch result < 0 ? errno : 0 {
            // A sandbox may forbid the call.
            case EOPNOTSUPP, ENOSYS, EINVAL, EPERM: return .impossible
            default: return StandardErrorDescriptor.Attempt(result)
            }
        #else
            return .impossible
        #endif
    }
}
