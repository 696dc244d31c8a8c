import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The kind and identity of the file that a descriptor refers to at this moment.
struct StandardErrorFile {
    enum Kind {
        /// A regular file, a disk, or a device such as `/dev/null`: a write to it waits for no reader.
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

    /// Looks up the file of a descriptor; nil if the descriptor is closed.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.descriptor = descriptor
        // Converted, since the types of these fields differ between systems.
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

    /// The path by which the file can be opened again; nil if it cannot.
    var path: String? {
        #if canImport(Darwin)
            // On Darwin opening `/dev/fd/2` only duplicates the descriptor, with its flags.
            guard kind == .terminal else { return nil }
            return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { name in
                guard let start = name.baseAddress, unsafe ttyname_r(descriptor, start, name.count) == 0 else {
                    return nil
                }
                return unsafe String(cString: start)
            }
        #else
            guard kind == .terminal || kind == .pipe else { return nil }
            // The device of `/dev/ptmx`: opening it again makes a new terminal, which nobody reads.
            let multiplexer: UInt64 = 0x502
            return device == multiplexer ? nil : "/proc/self/fd/\(descriptor)"
        #endif
    }
}
