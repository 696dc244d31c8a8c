import ErrorRouting
import Foundation

/// The folder in which order files arrive.
struct Inbox: Sendable {
    let folder: URL
    /// The `*.json` entries by name, whatever they are: files, and what only looks like one.
    let entries: [URL]

    /// Lists a folder.
    init(path: String) throws(UnreadableInbox) {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            // The folder itself, not a link to it: the quarantine is to be beside the files.
            let folder = URL(filePath: path, directoryHint: .isDirectory).resolvingSymlinksInPath()
            self.folder = folder
            entries =
                names
                .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
                .sorted()
                .map { folder.appending(path: $0, directoryHint: .notDirectory) }
        } catch {
            throw UnreadableInbox(path: path, underlying: error)
        }
    }

    /// Reads one entry.
    ///
    /// A plain blocking read: local files are fast, and there are no more readers than workers.
    static func readOrder(_ file: URL) throws -> Order {
        try refuseSpecialFile(file)
        return try JSONDecoder().decode(Order.self, from: Data(contentsOf: file))
    }

    /// A pipe would block its worker for good, and a device may have no end.
    private static func refuseSpecialFile(_ file: URL) throws {
        let path = file.resolvingSymlinksInPath().path
        let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        switch type {
        case .typeRegular, .typeDirectory, .typeSymbolicLink: return
        default: throw SpecialFile(path: path)
        }
    }
}

/// The inbox is missing, or is no folder, or may not be read.
struct UnreadableInbox: Error, CustomStringConvertible {
    let path: String
    let underlying: any Error

    /// The path and the reason on one line.
    var description: String { "cannot read the inbox \(OneLine.quoted(path)): \(Self.reasons[underlying])" }

    /// What a user can make of it; the special reasons last, since those are tried first.
    private static let reasons = ErrorMap<String>(default: "it cannot be listed")
        .on(.anywhere(.type(POSIXError.self))) { $0.localizedDescription }
        .on(.anywhere(.nsError(domain: NSPOSIXErrorDomain, code: Int(ENOTDIR))), "it is not a folder")
        .on(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileReadNoPermission.rawValue, "permission denied")
        .on(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileReadNoSuchFile.rawValue, "there is no such folder")
}

/// A pipe, a socket or a device where a file should be.
struct SpecialFile: Error, Equatable {
    let path: String
}
