import Foundation

/// The folder for files that cannot be decoded: beside the inbox, named after it.
enum Quarantine {
    /// The quarantine of an inbox.
    static func folder(for inbox: URL) -> URL {
        inbox.deletingLastPathComponent()
            .appending(path: inbox.lastPathComponent + "-quarantine", directoryHint: .isDirectory)
    }

    /// Moves a file of an inbox to the inbox's quarantine.
    ///
    /// Where its name is taken there (the same file name may fail again tomorrow) the file gets a number; nothing is
    /// ever overwritten.
    ///
    /// - Returns: Where the file is now.
    @concurrent
    @discardableResult
    static func take(_ file: URL) async throws -> URL {
        let folder = folder(for: file.deletingLastPathComponent())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = file.deletingPathExtension().lastPathComponent
        var number = 1
        while true {
            let candidate = number == 1 ? name : "\(name)-\(number)"
            let destination = folder.appending(path: "\(candidate).\(file.pathExtension)", directoryHint: .notDirectory)
            do {
                try FileManager.default.moveItem(at: file, to: destination)
                return destination
            } catch let error as CocoaError where error.code == .fileWriteFileExists {
                number += 1
            }
        }
    }
}
