import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// What a recorder's path leads to, found once: neither a change of the working folder nor a renaming of a link changes
/// which file is meant.
struct RecordPath {
    /// The path from the root and without symbolic links.
    let absolute: String
    /// The number of the process's own descriptor that the path means, such as 1 for `/dev/stdout`.
    ///
    /// What it leads to belongs to others too. If it were opened again, a file would get a second place to write at,
    /// and what the program prints would overwrite the lines; a socket cannot be opened at all.
    let descriptor: Int32?

    init(_ path: String) {
        var path = path
        // As many links as a system follows.
        for _ in 0..<40 {
            let slash = path.lastIndex(of: "/")
            let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
            guard let folder = Self.realPath(slash.map { String(path[...$0]) } ?? ".") else { break }
            path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            if folder == Self.realPath("/dev/fd") || folder == Self.realPath("/proc/self/fd") {
                (absolute, descriptor) = (path, Int32(name))
                return
            }
            // A descriptor of another process: what its link says is for people, and need not be a path.
            if folder.hasPrefix("/proc/") { break }
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = target.hasPrefix("/") ? target : "\(folder)/\(target)"
        }
        (absolute, descriptor) = (path, nil)
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
