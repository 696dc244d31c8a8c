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
    /// Where it can be opened once more; nil where it cannot.
    let path: String?

    /// Nil if the descriptor is closed.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        // Of the system's own types, which differ.
        target = LineBuffer.Target(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFBLK: kind = .plain
        case S_IFIFO: kind = .pipe
        case S_IFSOCK: kind = .socket
        case S_IFCHR: kind = isatty(descriptor) == 1 ? .terminal : .plain
        default: kind = .other
        }
        path = Self.path(descriptor, kind, status)
    }

    private static func path(_ descriptor: Int32, _ kind: Kind, _ status: stat) -> String? {
        #if canImport(Darwin)
            // Here opening `/dev/fd/2` only duplicates the descriptor, flags included.
            guard kind == .terminal else { return nil }
            return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { name in
                unsafe ttyname_r(descriptor, name.baseAddress!, name.count) == 0
                    ? String(cString: name.baseAddress!) : nil
            }
        #else
            guard kind == .terminal || kind == .pipe else { return nil }
            // The other side of a terminal: opening it makes a new one, and nobody would read that.
            let isMultiplexer = kind == .terminal && status.st_rdev == 0x502
            return isMultiplexer ? nil : "/proc/self/fd/\(descriptor)"
        #endif
    }
}
