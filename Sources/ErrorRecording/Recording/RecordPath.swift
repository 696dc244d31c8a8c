import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The file or descriptor that a recorder's path currently refers to.
struct RecordPath {
    /// The path of the file without symbolic links, so that renaming it renames the file.
    ///
    /// The path of a foreign file can contain links.
    let file: String
    /// Whether only the system can resolve the path, so that the file can't be renamed: it belongs to another process,
    /// or a link's target isn't valid UTF-8.
    let isForeign: Bool
    /// The number of the process's own descriptor if the path names one, such as 1 for `/dev/stdout`.
    ///
    /// Other code uses the same file. If the file were opened again, it would have a second write position, and the
    /// program's output would overwrite the lines. A socket can't be opened again at all.
    let descriptor: Int32?

    /// Resolves an absolute path.
    init(_ path: String) {
        var (path, isForeign) = (path, false)
        // Follow up to 40 links, as Linux does.
        for _ in 0..<40 {
            guard let (folder, name) = Self.parts(of: path) else {
                isForeign = true
                break
            }
            if folder == Self.realPath("/dev/fd") || folder == Self.realPath("/proc/self/fd") {
                (file, self.isForeign, descriptor) = (Self.path(folder, name), false, Int32(name))
                return
            }
            // Stop at a link of another process: a descriptor's link contains a description, which might not be a path,
            // and a `root` link contains a path within another root folder.
            isForeign = path.hasPrefix("/proc/") || folder.hasPrefix("/proc/")
            if isForeign { break }
            path = Self.path(folder, name)
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            // Stop if the target isn't valid UTF-8: Foundation replaces the invalid bytes with U+FFFD.
            isForeign = target.contains("\u{FFFD}")
            if isForeign { break }
            path = target.hasPrefix("/") ? target : Self.path(folder, target)
        }
        (file, self.isForeign, descriptor) = (path, isForeign, nil)
    }

    /// Returns an absolute path, which isn't affected by changes of the working directory.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : realPath(".").map { Self.path($0, path) } ?? path
    }

    /// Returns the path of a file's folder without links, and the file's name; nil if the folder doesn't exist, or if
    /// its path isn't valid UTF-8.
    private static func parts(of path: String) -> (folder: String, name: String)? {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        return realPath(slash.map { String(path[...$0]) } ?? ".").map { ($0, name) }
    }

    private static func path(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(validatingCString: found)
    }
}
