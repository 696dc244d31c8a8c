import BoundedDescriptions
import ErrorRouting
import Foundation

/// The folder in which order files arrive.
struct Inbox: Sendable {
    /// How many bytes an order file may have: far more than any order needs, and little enough to keep in memory.
    static let sizeLimit = 16 * 1024 * 1024

    let folder: FilePath
    /// The `*.json` entries by name, also those that are not files.
    let entries: [FilePath]

    /// Lists a folder.
    init(_ path: FilePath) throws(UnreadableInbox) {
        do {
            // Links are resolved, so that the quarantine is beside the real folder.
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

/// The inbox is missing, is not a folder, or must not be read.
struct UnreadableInbox: Error, CustomStringConvertible {
    let path: FilePath
    let underlying: any Error

    /// The path and the reason on one line.
    var description: String { "cannot read the inbox \(OneLine.quoted(path.text)): \(Self.reasons[underlying])" }

    /// The reasons in words for a user; the special rules come last, since the last rule is tried first.
    private static let reasons = ErrorMap<String>(default: "it cannot be listed")
        .on(POSIXError.self) { $0.localizedDescription }
        .on(domain: NSPOSIXErrorDomain, code: Int(ENOTDIR), "it is not a folder")
        .on(domain: NSPOSIXErrorDomain, code: Int(EACCES), "permission denied")
        .on(domain: NSPOSIXErrorDomain, code: Int(ENOENT), "there is no such folder")
}
