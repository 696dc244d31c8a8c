import Foundation

#if canImport(Darwin)
    import Darwin
#endif

/// The file or descriptor that a recorder's path leads to, resolved once.
///
/// Neither changing the working directory nor renaming a link affects it later.
struct RecordPath {
    /// The path from the root, without symbolic links.
    let absolute: String
    /// The number of the process's own descriptor that the path names, such as 1 for `/dev/stdout`.
    ///
    /// Other code uses the same file. Opening it again would give it a second write position, and the program's output
    /// would overwrite the lines. A socket can't be opened again at all.
    let descriptor: Int32?

    init(_ path: String) {
        var path = path
        // Follow as many links as a system does.
        for _ in 0..<40 {
            let slash = path.lastIndex(of: "/")
            let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
            guard let folder = Self.realPath(slash.map { String(path[...$0]) } ?? ".") else { break }
            path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            if folder == Self.realPath("/dev/fd") || folder == Self.realPath("/proc/self/fd") {
                (absolute, descriptor) = (path, Int32(name))
                return
            }
            // Stop at a descriptor of another process: the target of its link is a description, which needn't be a
            // path.
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
