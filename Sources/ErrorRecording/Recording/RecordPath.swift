import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The file or descriptor that a recorder's path leads to at the moment.
struct RecordPath {
    /// The path of the file without symbolic links, so that renaming it renames the file.
    let file: String
    /// Whether the path is that of a descriptor of another process, so that renaming it is impossible.
    let isForeign: Bool
    /// The number of the process's own descriptor that the path names, such as 1 for `/dev/stdout`.
    ///
    /// Other code uses the same file. Opening it again would give it a second write position, and the program's output
    /// would overwrite the lines. A socket can't be opened again at all.
    let descriptor: Int32?

    /// - Parameter path: A path from the root.
    init(_ path: String) {
        var (path, isForeign) = (path, false)
        // Follow as many links as a system does.
        for _ in 0..<40 {
            guard let (folder, name) = Self.parts(of: path) else { break }
            path = Self.path(folder, name)
            if folder == Self.realPath("/dev/fd") || folder == Self.realPath("/proc/self/fd") {
                (file, self.isForeign, descriptor) = (path, false, Int32(name))
                return
            }
            // Stop at a descriptor of another process: the target of its link is a description, which needn't be a
            // path.
            isForeign = folder.hasPrefix("/proc/")
            if isForeign { break }
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = target.hasPrefix("/") ? target : Self.path(folder, target)
        }
        (file, self.isForeign, descriptor) = (path, isForeign, nil)
    }

    /// Returns a path from the root, which a change of the working directory doesn't affect.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : realPath(".").map { Self.path($0, path) } ?? path
    }

    /// Returns the path of a file's folder without links, and the file's name; nil if there is no such folder.
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
        return unsafe String(cString: found)
    }
}
