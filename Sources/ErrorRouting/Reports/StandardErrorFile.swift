#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// What the file behind standard error is at this moment.
struct StandardErrorFile {
    enum Kind {
        /// A regular file, a disk or the like of `/dev/null`: a write to it waits for no reader.
        case plain
        case pipe
        case socket
        case terminal
        case other
    }

    let kind: Kind
    let target: LineBuffer.Target
    private let descriptor: Int32
    private let device: UInt64

    /// Nil if the descriptor is closed.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.descriptor = descriptor
        // Of the system's own types, which differ.
        device = UInt64(truncatingIfNeeded: status.st_rdev)
        target = LineBuffer.Target(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFBLK: kind = .plain
        case S_IFIFO: kind = .pipe
        case S_IFSOCK: kind = .socket
        case S_IFCHR: kind = isatty(descriptor) == 1 ? .terminal : .plain
        default: kind = .other
        }
    }

    /// Where it can be opened once more; nil where it cannot.
    var path: String? {
        #if canImport(Darwin)
            // Here opening `/dev/fd/2` only duplicates the descriptor, flags included.
            guard kind == .terminal else { return nil }
            return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { name in
                guard let start = name.baseAddress, unsafe ttyname_r(descriptor, start, name.count) == 0 else {
                    return nil
                }
                return unsafe String(cString: start)
            }
        #else
            guard kind == .terminal || kind == .pipe else { return nil }
            // The other side of a terminal: opening it makes a new one, which nobody reads.
            let multiplexer: UInt64 = 0x502
            return device == multiplexer ? nil : "/proc/self/fd/\(descriptor)"
        #endif
    }
}
