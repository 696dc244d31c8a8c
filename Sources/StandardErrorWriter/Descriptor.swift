import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Opens files with descriptors above those of standard input, output, and error.
///
/// The system gives a new file the lowest free number. If standard error is closed, as in a daemon that was started
/// with `2>&-`, a new file could receive the number of standard error. Lines for standard error would then be written
/// to that file.
package enum Descriptor {
    /// Opens a file like the system's `open`, with a descriptor that new programs don't inherit.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - flags: The flags for `open`; `O_CLOEXEC` is added.
    ///   - mode: The permissions of a file that this call creates.
    /// - Returns: The descriptor. If opening fails, the result is -1 and `errno` contains the reason.
    package static func open(_ path: String, _ flags: Int32, _ mode: UInt16 = 0) -> Int32 {
        StandardError.noteDescriptor()
        let opened = unsafe Foundation.open(path, flags | O_CLOEXEC, mode_t(mode))
        guard (STDIN_FILENO...STDERR_FILENO).contains(opened) else { return opened }
        let moved = duplicate(opened)
        let reason = errno
        close(opened)
        errno = reason
        return moved
    }

    /// Returns another descriptor of the same open file; if that fails, -1 with the reason in `errno`.
    package static func duplicate(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }
}
