import Foundation

/// The folder for files that cannot be decoded: beside the inbox, named after it.
enum Quarantine {
    /// Returns the quarantine folder of an inbox.
    static func folder(for inbox: FilePath) -> FilePath { FilePath(bytes: inbox.bytes + "-quarantine".utf8) }

    /// Moves a file of an inbox to the inbox's quarantine.
    ///
    /// If its name exists there already, the file gets a number; no file is ever overwritten.
    ///
    /// - Returns: Where the file is now.
    @concurrent
    @discardableResult
    static func move(_ file: FilePath) async throws -> FilePath {
        let folder = folder(for: file.folder)
        if unsafe folder.withCString({ unsafe mkdir($0, 0o777) }) != 0, errno != EEXIST { throw POSIXError.current }
        var number = 1
        while true {
            let place = folder.appending(numbered(file.name, number))
            // Creating an empty file fails if the name exists; `rename` alone would overwrite the existing file.
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
            let descriptor = unsafe place.withCString { unsafe open($0, flags, 0o600) }
            if descriptor >= 0 {
                defer { close(descriptor) }
                try move(file, to: place, descriptor)
                return place
            }
            guard errno == EEXIST else { throw POSIXError.current }
            number += 1
        }
    }

    /// `order.json`, `order-2.json`, and so on.
    private static func numbered(_ name: FilePath, _ number: Int) -> FilePath {
        if number == 1 { return name }
        let end = name.bytes.lastIndex(of: UInt8(ascii: ".")) ?? name.bytes.endIndex
        return FilePath(bytes: name.bytes[..<end] + "-\(number)".utf8 + name.bytes[end...])
    }

    private static func move(_ file: FilePath, to place: FilePath, _ descriptor: Int32) throws {
        do {
            if unsafe file.withCString({ old in unsafe place.withCString { unsafe rename(old, $0) } }) == 0 { return }
            let failure = POSIXError.current
            // The inbox may be on another volume, to which a file cannot be renamed but has to be copied.
            guard failure.code == .EXDEV else { throw failure }
            let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            try copy.write(contentsOf: file.read(upTo: Inbox.sizeLimit))
            guard unsafe file.withCString({ unsafe unlink($0) }) == 0 else { throw POSIXError.current }
        } catch {
            unsafe place.withCString { _ = unsafe unlink($0) }
            throw error
        }
    }
}
