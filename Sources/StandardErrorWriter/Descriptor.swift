import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// Opens files with descriptors above those of standard input, output, and error.
///
/// The system gives a new file the lowest free number. If standard error is closed, as in a daemon that was started
/// with `2>&-`, that is its number, and everything that is written to standard error would be written to the file.
package enum Descriptor {
    /// Opens a file as `open` does; new programs don't inherit it.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - flags: The flags for `open`.
    ///   - mode: The permissions of a file that it creates.
    /// - Returns: The descriptor; -1 with the reason in `errno` if that fails.
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

    /// Returns another descriptor of the same open file; -1 with the reason in `errno` if that fails.
    package static func duplicate(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }
}
