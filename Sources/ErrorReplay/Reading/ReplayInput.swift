import Foundation
import StandardErrorWriter

#if canImport(Darwin)
    import Darwin
#endif

/// A file that stays open for reading until it is released.
///
/// It is read only when a caller requests bytes.
final class ReplayInput: Sendable {
    /// Identifies the file, regardless of the path that was used to open it.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    let path: String
    private let descriptor: Int32
    /// The file's size at the start; nil for a file without a size, such as a pipe.
    let size: Int?
    /// The file's identity; nil for a file that can be read only once.
    let identity: Identity?

    /// Opens the file at a path; `-` means standard input.
    init(_ path: String) throws(Replay.UnreadableInput) {
        self.path = path
        // Reject a NUL in the path: the system would truncate the path there.
        let isValid = !path.utf8.contains(0)
        if !isValid { errno = EINVAL }
        // Don't wait for the writer of a named pipe, because the wait couldn't be interrupted.
        let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK
        descriptor = path == "-" ? STDIN_FILENO : isValid ? Descriptor.open(path, flags) : -1
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
        if mode_t(status.st_mode) & S_IFMT == S_IFDIR {
            // Close the descriptor here, because an initializer that throws doesn't call the deinitializer.
            if descriptor > STDIN_FILENO { close(descriptor) }
            throw Self.failure(path, EISDIR)
        }
        guard mode_t(status.st_mode) & S_IFMT == S_IFREG else {
            (size, identity) = (nil, nil)
            return
        }
        // Treat 0 as unknown, because a file in `/proc` has the size 0 but isn't empty.
        size = status.st_size > 0 ? Int(status.st_size) : nil
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }

    deinit { if descriptor > STDIN_FILENO { close(descriptor) } }

    /// Reads up to as many bytes as fit into the buffer, and returns their number: 0 at the end, nil if it was
    /// cancelled.
    ///
    /// While no bytes arrive, it checks for cancellation at intervals.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, unless isCancelled: () -> Bool
    ) throws(Replay.UnreadableInput) -> Int? {
        while true {
            if isCancelled() { return nil }
            if identity == nil {
                var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if unsafe poll(&awaited, 1, 20) == 0 { continue }
            }
            let count = unsafe Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR && errno != EAGAIN { throw Self.failure(path) }
        }
    }

    /// Throws if the file contains lines but no record.
    ///
    /// `unreadable` is the number of lines that aren't records, not counting blank lines.
    func requireRecord(readable: Int, unreadable: Int) throws(Replay.UnreadableInput) {
        guard readable == 0, unreadable > 0 else { return }
        let advice = "if it is compressed, decompress it to standard input, as by: zcat FILE | … -"
        throw Replay.UnreadableInput(path: path, reason: "none of its lines is a record; \(advice)")
    }

    private static func failure(_ path: String, _ code: Int32 = errno) -> Replay.UnreadableInput {
        Replay.UnreadableInput(path: path, reason: unsafe String(cString: strerror(code)))
    }
}
