import Foundation

extension FilePath {
    /// Reads a file, unless it is too large.
    ///
    /// The read blocks, but only regular files are read, which are always ready. A pipe could block its worker for
    /// ever, and a device may have no end.
    ///
    /// - Parameter limit: How many bytes the file may have. At most one byte more is read.
    /// - Throws: `SpecialFile`, `FileTooLarge`, or the `POSIXError` of the call that failed; for a folder `EISDIR`.
    func read(upTo limit: Int) throws -> Data {
        // Checked before opening: opening a device may have an effect, and a socket cannot be opened.
        var status = stat()
        guard unsafe withCString({ unsafe stat($0, &status) }) == 0 else { throw POSIXError.current }
        try refuseSpecialFile(status)
        // Meanwhile the file may have been replaced by a pipe: `O_NONBLOCK` keeps `open` from waiting for its writer.
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = unsafe withCString { unsafe open($0, flags) }
        guard descriptor >= 0 else { throw POSIXError.current }
        defer { close(descriptor) }
        guard unsafe fstat(descriptor, &status) == 0 else { throw POSIXError.current }
        try refuseSpecialFile(status)
        if status.st_mode & S_IFMT == S_IFREG, status.st_size > limit {
            throw FileTooLarge(size: Int(status.st_size), limit: limit)
        }
        return try Self.read(descriptor, upTo: limit)
    }

    /// Reads to the end, whatever size was reported: a file may grow, and files in `/proc` report zero bytes.
    static func read(_ descriptor: Int32, upTo limit: Int) throws -> Data {
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while data.count <= limit {
            let wanted = min(chunk.count, limit + 1 - data.count)
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Foundation.read(descriptor, buffer.baseAddress, wanted)
            }
            if count == 0 { return data }
            if count > 0 {
                data.append(contentsOf: chunk[..<count])
            } else if errno != EINTR {
                throw POSIXError.current
            }
        }
        throw FileTooLarge(size: nil, limit: limit)
    }

    private func refuseSpecialFile(_ status: stat) throws(SpecialFile) {
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: return
        default: throw SpecialFile(path: text)
        }
    }
}

/// A pipe, a socket or a device where a file should be.
struct SpecialFile: Error, Equatable, Codable {
    let path: String
}

/// A file that is larger than an order may be.
struct FileTooLarge: Error, Equatable, Codable, CustomStringConvertible {
    /// How many bytes the file has; nil if it has more than its reported size.
    let size: Int?
    let limit: Int

    var description: String {
        let size = size.map { "\($0) bytes" } ?? "more bytes than it says"
        return "the file has \(size), and an order no more than \(limit)"
    }
}
