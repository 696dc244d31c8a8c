import ErrorRouting
import Foundation
import StandardErrorWriter

#if canImport(Darwin)
    import Darwin
#endif

/// Appends lines to a file and rotates it, as ``LogPolicy`` decides.
///
/// Any number of recorders, in any processes, can append to one path. Each recorder holds the file's lock while it
/// inspects the file and writes to it. So lines are never interleaved, and only one recorder rotates a full file.
struct RecordFile: ~Copyable {
    // The path and the policy never change. They are variables because Swift 6.2 rejects constants in a noncopyable
    // type that has a deinitializer and an initializer that throws.
    /// The recorder's absolute path, whose links are followed each time the file is opened.
    private var path: String
    /// The file that the path referred to when the file was opened; nil while no file is open.
    private var place: RecordPath?
    /// How often in a row other recorders can replace the file at the path before lines fail.
    private static let attempts = 1_000
    private var policy: LogPolicy
    /// The descriptor of the open file; -1 while no file is open.
    private var descriptor: Int32 = -1
    /// The file's size after this recorder's last write, if that write ended with a whole line.
    private var wholeSize: Int?
    /// Whether this recorder left an unfinished line in a file that can't be truncated.
    private var leftBroken = false

    /// Opens or creates the file, and terminates its last line if it doesn't end with a newline.
    init(path: String, policy: LogPolicy) throws(ErrorRecorder.CannotOpen) {
        self.path = RecordPath.absolute(path)
        self.policy = policy
        // Reject a NUL in the path: the system would truncate the path there.
        let code = path.utf8.contains(0) ? EINVAL : open()
        // Accept a pipe that doesn't have a reader yet: a process with write permission only can't open it until then,
        // so lines fail at first.
        if let code, code != ENXIO || !Self.isPipe(path) {
            throw ErrorRecorder.CannotOpen(path: path, code: code)
        }
        // Don't wait for the lock, because a recorder that holds it has already checked for a broken line.
        if lock(LOCK_EX | LOCK_NB) {
            if let facts = inspect(), facts.isNamed, !facts.endsWhole { _ = endLine(facts) }
            _ = lock(LOCK_UN)
        }
        if inspect()?.isRegular == true { deleteSurplus(beyondGaps: true) }
    }

    deinit { if descriptor >= 0 { Foundation.close(descriptor) } }

    /// Appends lines, each completely or not at all, and returns how many were written; the other lines failed.
    mutating func append(_ chunk: LineChunk) -> Int {
        // The index of the next line. Every line before it has been written or has failed.
        var next = 0
        var (written, reopened, mayReopen, mayRotate) = (0, 0, true, true)
        while next < chunk.count {
            guard reopened < Self.attempts, descriptor >= 0 || open() == nil else { break }
            _ = lock(LOCK_EX)
            defer { if descriptor >= 0 { _ = lock(LOCK_UN) } }
            guard let facts = inspect() else {
                // Close the descriptor: it is no longer usable, for example because a file server lost the file.
                close()
                reopened += 1
                continue
            }
            let lengths = chunk.lengths(from: next)
            switch policy.step(facts, for: lengths, mayReopen: mayReopen, mayRotate: mayRotate) {
            case .reopen:
                mayReopen = open() == nil
                reopened += 1
            case .fail:
                close()
                return written
            case .endLine:
                if !endLine(facts) { return written }
            case .rotate:
                // Check that the name is gone: if both names are hard links to the same file, renaming succeeds without
                // any effect.
                mayRotate = rotate() && inspect()?.isNamed == false
            case .write(let count):
                let whole = write(next..<next + count, of: chunk, at: facts)
                written += whole
                reopened = 0
                // Skip the line that didn't fit, because the lines after it might be shorter.
                next += whole == count ? whole : whole + 1
            }
        }
        return written
    }

    // MARK: Inspecting

    /// Returns the state of the open file as the system reports it; nil if the call fails.
    private func inspect() -> LogPolicy.Facts? {
        guard let place, place.descriptor == nil else {
            return LogPolicy.Facts(endsWhole: !leftBroken, isRegular: false)
        }
        var file = stat()
        guard unsafe fstat(descriptor, &file) == 0 else { return nil }
        // On 32-bit Android, the structure's field has another type.
        let isRegular = mode_t(file.st_mode) & S_IFMT == S_IFREG
        let size = Int(file.st_size)
        return LogPolicy.Facts(
            size: size,
            endsWhole: isRegular ? size == 0 || size == wholeSize || lastByte(of: size) == .newline : !leftBroken,
            isNamed: isNamed(file, at: place),
            isDeleted: isRegular && file.st_nlink == 0,
            isRegular: isRegular && !place.isForeign
        )
    }

    /// Returns whether the recorder's path still refers to the open file, and that file is still at its original
    /// location.
    private func isNamed(_ file: stat, at place: RecordPath) -> Bool {
        if place.isForeign { return Self.leads(path, to: file) }
        // Don't follow a link at the file's location, because renaming would rename the link.
        return Self.leads(place.file, to: file, followingLink: false)
            && (place.file == path || Self.leads(path, to: file))
    }

    private static func leads(_ path: String, to file: stat, followingLink: Bool = true) -> Bool {
        var named = stat()
        let result = followingLink ? unsafe stat(path, &named) : unsafe lstat(path, &named)
        return result == 0 && named.st_dev == file.st_dev && named.st_ino == file.st_ino
    }

    /// Returns the last byte of the file; nil if it can't be read, as in a file that may only be appended to.
    private func lastByte(of size: Int) -> UInt8? {
        var byte: UInt8 = 0
        return unsafe pread(descriptor, &byte, 1, off_t(size - 1)) == 1 ? byte : nil
    }

    // MARK: Writing

    /// Locks or unlocks the file, and returns whether that succeeded.
    ///
    /// A descriptor that the process was given, such as standard output, isn't locked: the descriptor's other owners
    /// would share the lock and keep it after this process has died.
    private func lock(_ operation: Int32) -> Bool {
        guard place?.descriptor == nil else { return true }
        while flock(descriptor, operation) < 0 { if errno != EINTR { return false } }
        return true
    }

    /// Writes lines, truncates the file after the last whole line, and returns how many lines were written completely.
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

    /// Terminates a line that its writer left unfinished, and returns whether that succeeded.
    private mutating func endLine(_ facts: LogPolicy.Facts) -> Bool {
        let isEnded = unsafe withUnsafeBytes(of: UInt8.newline) { unsafe write($0) } == 1
        if isEnded { (leftBroken, wholeSize) = (false, facts.size + 1) }
        return isEnded
    }

    /// Writes bytes until all are written or a write fails, and returns how many were written.
    ///
    /// If a pipe is full, the call waits until the pipe has room or loses its last reader.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            // Disable the signal, because `SIGPIPE` would go to the whole process even if this thread blocks it.
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

    /// Opens the file that the path now refers to, or creates it if it doesn't exist, and closes the previous file.
    ///
    /// If that fails, the method returns the error number, and the previous file stays open.
    private mutating func open() -> Int32? {
        let found = RecordPath(path)
        let opened = found.descriptor.map(Descriptor.duplicate) ?? Self.openFile(found.file)
        if opened < 0 { return errno }
        if descriptor >= 0 { close() }
        (descriptor, place, wholeSize, leftBroken) = (opened, found, nil, false)
        return nil
    }

    /// Opens a file for appending, or creates it if it doesn't exist.
    ///
    /// The result is a descriptor, or -1 with the reason in `errno`.
    private static func openFile(_ path: String) -> Int32 {
        // Pass `O_NONBLOCK`, so that opening a pipe without a reader doesn't block.
        let flags = O_APPEND | O_NONBLOCK | O_NOCTTY
        for _ in 0..<attempts {
            var opened = Descriptor.open(path, flags | O_RDWR)
            // Try again without reading, because the process might be allowed only to append to the file.
            if opened < 0, errno == EACCES { opened = Descriptor.open(path, flags | O_WRONLY) }
            if opened >= 0 { return isPipe(opened) ? openPipe(path, flags, instead: opened) : opened }
            guard errno == ENOENT else { return -1 }
            opened = Descriptor.open(path, flags | O_RDWR | O_CREAT | O_EXCL, 0o640)
            if opened >= 0 {
                // Override the process's file mode mask: the group must be able to read logs, and other users must not.
                fchmod(opened, 0o640)
                return opened
            }
            // Try again, because another process has created the file.
            guard errno == EEXIST else { return -1 }
        }
        errno = ENOENT
        return -1
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var file = stat()
        return unsafe fstat(descriptor, &file) == 0 && mode_t(file.st_mode) & S_IFMT == S_IFIFO
    }

    private static func isPipe(_ path: String) -> Bool {
        var file = stat()
        return unsafe stat(path, &file) == 0 && mode_t(file.st_mode) & S_IFMT == S_IFIFO
    }

    /// Opens a pipe for writing only, and closes its other descriptor.
    ///
    /// A descriptor that can also read counts as a reader, so writing would never fail when all other readers are gone.
    private static func openPipe(_ path: String, _ flags: Int32, instead other: Int32) -> Int32 {
        let opened = Descriptor.open(path, flags | O_WRONLY)
        let reason = errno
        Foundation.close(other)
        errno = reason
        return opened
    }

    private mutating func close() {
        // Close the descriptor, which also releases the lock.
        Foundation.close(descriptor)
        (descriptor, place) = (-1, nil)
    }

    /// Rotates the file, deletes the oldest file, and returns whether that succeeded.
    private func rotate() -> Bool {
        defer { deleteSurplus() }
        guard policy.fileCount > 1 else { return unsafe unlink(name(0)) == 0 }
        let renamings = policy.renamings { unsafe access(name($0), F_OK) == 0 }
        return renamings.allSatisfy { from, to in unsafe rename(name(from), name(to)) == 0 }
    }

    /// Deletes the files that remain from an earlier recorder with a larger number of files.
    ///
    /// If `beyondGaps` is false, the search ends at the first missing file.
    private func deleteSurplus(beyondGaps: Bool = false) {
        for number in policy.surplus { if unsafe unlink(name(number)) != 0, !beyondGaps { return } }
    }

    private func name(_ number: Int) -> String {
        let path = place?.file ?? path
        return number == 0 ? path : "\(path).\(number)"
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
}
