/// A file or folder that the audit didn't read in full, so it might contain losses that aren't listed.
public struct Unread: Error, Sendable, Encodable, Equatable, CustomStringConvertible {
    /// The path, as given on the command line or found under a given folder.
    public internal(set) var path: String
    /// Why it wasn't read in full.
    public let reason: String

    /// The path and the reason.
    public var description: String { "\(path): \(reason)" }
}
