import ErrorRouting
import Foundation

/// The folder in which order files arrive.
struct Inbox: Sendable {
    /// How large an order file may be: far more than any order needs, and no danger to the memory of the process.
    static let sizeLimit = 16 * 1024 * 1024

    let folder: FilePath
    /// The `*.json` entries by name, whatever they are: files, and what only looks like one.
    let entries: [FilePath]

    /// Lists a folder.
    init(_ path: FilePath) throws(UnreadableInbox) {
        do {
            // The folder itself, not a link to it: the quarantine is to be beside the files.
            let folder = try path.resolved()
            self.folder = folder
            entries = try folder.entryNames()
                .map(\.bytes)
                .filter { $0.suffix(5).elementsEqual(".json".utf8) && $0.first != UInt8(ascii: ".") }
                .sorted { $0.lexicographicallyPrecedes($1) }
                .map { folder.appending(FilePath(bytes: $0)) }
        } catch {
            throw UnreadableInbox(path: path, underlying: error)
        }
    }

    /// Reads one entry.
    static func readOrder(_ file: FilePath) throws -> Order {
        try JSONDecoder().decode(Order.self, from: file.read(upTo: sizeLimit))
    }
}

/// The inbox is missing, or is no folder, or may not be read.
struct UnreadableInbox: Error, CustomStringConvertible {
    let path: FilePath
    let underlying: any Error

    /// The path and the reason on one line.
    var description: String { "cannot read the inbox \(OneLine.quoted(path.text)): \(Self.reasons[underlying])" }

    /// What a user can make of it; the special reasons last, since those are tried first.
    private static let reasons = ErrorMap<String>(default: "it cannot be listed")
        .on(POSIXError.self) { $0.localizedDescription }
        .on(domain: NSPOSIXErrorDomain, code: Int(ENOTDIR), "it is not a folder")
        .on(domain: NSPOSIXErrorDomain, code: Int(EACCES), "permission denied")
        .on(domain: NSPOSIXErrorDomain, code: Int(ENOENT), "there is no such folder")
}
