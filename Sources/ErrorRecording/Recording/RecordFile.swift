import ErrorRouting
import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Appends lines to a file and rotates it, as ``LogPolicy`` decides.
///
/// Any number of recorders, in any processes, can append to one path. Each holds the file's lock while it inspects the
/// file and writes to it. So lines never mix, and only one recorder rotates a full file.
struct RecordFile: ~Copyable {
    private let path: String
    /// The process's own descriptor to write to; nil for a file that is opened by its path.
    private let shared: Int32?
    /// How many times in a row other recorders can replace the file at the path before lines fail.
    private static let attempts = 1_000
    private let policy: LogPolicy
    /// -1 while no file is open.
    private var descriptor: Int32 = -1
    /// The file's size after this recorder's last write, if that ended with a whole line.
    private var wholeSize: Int?
    /// Whether this recorder has left an unfinished line in a file that can't be truncated.
    private var leftBroken = false

    /// Opens or creates the file, and ends its last line if that has no newline.
    ///
    /// - Throws: ``ErrorRecorder/CannotOpen``
    init(path: String, policy: LogPolicy) throws(ErrorRecorder.CannotOpen) {
        let found = RecordPath(path)
        (self.path, shared) = (found.absolute, found.descriptor)
        self.policy = policy
        // Reject a NUL in the path: the system would truncate the path there.
        if let code = path.utf8.contains(0) ? EINVAL : open() {
            throw ErrorRecorder.CannotOpen(path: path, code: code)
        }
        // Don't wait for the lock: a recorder that is writing now has found the broken line itself.
        if lock(LOCK_EX | LOCK_NB) {
            if let facts = look(), facts.isNamed, !facts.endsWhole { _ = endLine(facts) }
            _ = lock(LOCK_UN)
        }
        if look()?.isRegular == true { deleteSurplus(beyondGaps: true) }
    }

    deinit { if descriptor >= 0 { Foundation.close(descriptor) } }

    /// Appends lines, each whole or not at all.
    ///
    /// - Returns: The number of written lines; writing the others failed.
    mutating func append(_ chunk: LineChunk) -> Int {
        // The number of the next line. All lines before it are written or have failed.
        var next = 0
        var (written, reopened, mayRotate) = (0, 0, true)
        while next < chunk.count {
            guard reopened < Self.attempts, descriptor >= 0 || open() == nil else { break }
            _ = lock(LOCK_EX)
            defer { if descriptor >= 0 { _ = lock(LOCK_UN) } }
            guard let facts = look() else {
                close()
                break
            }
            switch policy.step(facts, for: chunk.lengths(from: next), mayRotate: mayRotate) {
            case .reopen:
                close()
                reopened += 1
            case .endLine:
                if !endLine(facts) { return written }
            case .rotate:
                // Check that the name is gone: if both names are hard links to one file, renaming succeeds but does
                // nothing.
                mayRotate = rotate() && look()?.isNamed == false
                if mayRotate { close() }
            case .write(let count):
                let whole = write(next..<next + count, of: chunk, at: facts)
                written += whole
                reopened = 0
                // Skip the line that did not fit; the lines after it might be shorter.
                next += whole == count ? whole : whole + 1
            }
        }
        return written
    }

    // MARK: Inspecting

    /// Returns what the system reports about the open file; nil if the call fails.
    private func look() -> LogPolicy.Facts? {
        if shared != nil { return LogPolicy.Facts(endsWhole: !leftBroken, isRegular: false) }
        var (file, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &file) == 0 else { return nil }
        var isNamed = unsafe lstat(path, &named) == 0
        let isLink = isNamed && named.st_mode & S_IFMT == S_IFLNK
        if isLink { isNamed = unsafe stat(path, &named) == 0 }
        let isRegular = file.st_mode & S_IFMT == S_IFREG
        let size = Int(file.st_size)
        return LogPolicy.Facts(
            size: size,
            endsWhole: isRegular ? size == 0 || size == wholeSize || lastByte(of: size) == .newline : !leftBroken,
            isNamed: isNamed && named.st_dev == file.st_dev && named.st_ino == file.st_ino,
            isRegular: isRegular && !isLink
        )
    }

    /// Returns the last byte of the file; a newline if reading fails.
    private func lastByte(of size: Int) -> UInt8 {
        var byte = UInt8.newline
        _ = unsafe pread(descriptor, &byte, 1, off_t(size - 1))
        return byte
    }

    // MARK: Writing

    /// Locks or unlocks the file; returns whether that was possible.
    ///
    /// A descriptor of the process isn't locked: its other owners would share the lock, and keep it after this
    /// process's death.
    private func lock(_ operation: Int32) -> Bool {
        guard shared == nil else { return true }
        while flock(descriptor, operation) < 0 { if errno != EINTR { return false } }
        return true
    }

    /// Writes lines, and truncates the file after the last whole line.
    ///
    /// - Returns: The number of lines that were written whole.
    private mutating func write(_ lines: Range<Int>, of chunk: LineChunk, at facts: LogPolicy.Facts) -> Int {
        let count = unsafe chunk.bytes.withUnsafeBytes { bytes in
            unsafe write(UnsafeRawBufferPointer(rebasing: bytes[chunk.range(lines)]))
        }
        let whole = chunk.wholeLines(from: lines.lowerBound, in: count)
        let size = chunk.range(lines.lowerBound..<lines.lowerBound + whole).count
        leftBroken = size < count && !(facts.isRegular && truncate(facts.size + size, from: facts.size + count))
        wholeSize = leftBroken ? nil : facts.size + size
        return whole
    }

    /// Ends a line that its writer left unfinished; returns whether that was possible.
    private mutating func endLine(_ facts: LogPolicy.Facts) -> Bool {
        let isEnded = unsafe withUnsafeBytes(of: UInt8.newline) { unsafe write($0) } == 1
        if isEnded { (leftBroken, wholeSize) = (false, facts.size + 1) }
        return isEnded
    }

    /// Writes bytes until all are written or a write fails; returns the number of written bytes.
    ///
    /// If a pipe is full, the call waits until the pipe has room or loses its last reader.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            // Turn the signal off: `SIGPIPE` would go to the whole process, even if this thread blocks it.
            let raises = fcntl(descriptor, F_GETNOSIGPIPE) == 0
            _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
            defer { if raises { _ = fcntl(descriptor, F_SETNOSIGPIPE, 0) } }
        #endif
        var count = 0
        while count < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[count...])
            let result = unsafe Foundation.write(descriptor, rest.baseAddress, rest.count)
            if result < 0, errno == EINTR { continue }
            if result < 0, errno == EAGAIN {
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&room, 1, -1)
                continue
            }
            if result <= 0 { break }
            count += result
        }
        return count
    }

    /// Truncates a file to a size, unless a writer that ignores the lock has appended to it.
    private func truncate(_ size: Int, from end: Int) -> Bool {
        var file = stat()
        guard unsafe fstat(descriptor, &file) == 0, file.st_size == end else { return false }
        return ftruncate(descriptor, off_t(size)) == 0
    }

    // MARK: Opening and rotating

    /// Opens the file, or creates it if there is none.
    ///
    /// - Returns: The error number if that fails; nil if the file is open.
    private mutating func open() -> Int32? {
        assert(descriptor < 0, "a file is open")
        (wholeSize, leftBroken) = (nil, false)
        if let shared {
            descriptor = fcntl(shared, F_DUPFD_CLOEXEC, 0)
            return descriptor < 0 ? errno : nil
        }
        // With `O_NONBLOCK`, opening a pipe without a reader does not block.
        let flags = O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        for _ in 0..<Self.attempts {
            descriptor = unsafe Foundation.open(path, flags | O_RDWR)
            if descriptor >= 0 { break }
            guard errno == ENOENT else { return errno }
            descriptor = unsafe Foundation.open(path, flags | O_RDWR | O_CREAT | O_EXCL, 0o640)
            if descriptor >= 0 {
                // Override the process's mask: the group must be able to read logs, and nobody else may.
                fchmod(descriptor, 0o640)
                break
            }
            // Another process has created the file in the meantime.
            guard errno == EEXIST else { return errno }
        }
        guard descriptor >= 0 else { return ENOENT }
        var file = stat()
        guard unsafe fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFIFO else { return nil }
        // Open a pipe for writing only: a descriptor that can also read counts as a reader, so writing would never fail
        // for lack of one.
        let reading = descriptor
        defer { Foundation.close(reading) }
        descriptor = unsafe Foundation.open(path, flags | O_WRONLY)
        return descriptor < 0 ? errno : nil
    }

    private mutating func close() {
        // This also releases the lock.
        Foundation.close(descriptor)
        descriptor = -1
    }

    /// Rotates the file, and deletes the oldest one; returns whether that succeeded.
    private func rotate() -> Bool {
        defer { deleteSurplus() }
        guard policy.fileCount > 1 else { return unsafe unlink(path) == 0 }
        let renamings = policy.renamings { unsafe access(name($0), F_OK) == 0 }
        return renamings.allSatisfy { from, to in unsafe rename(name(from), name(to)) == 0 }
    }

    /// Deletes the files that an earlier recorder with a larger number of files left.
    ///
    /// - Parameter beyondGaps: Whether to try every number; otherwise the search ends at the first missing file.
    private func deleteSurplus(beyondGaps: Bool = false) {
        for number in policy.surplus { if unsafe unlink(name(number)) != 0, !beyondGaps { return } }
    }

    private func name(_ number: Int) -> String { number == 0 ? path : "\(path).\(number)" }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
}
