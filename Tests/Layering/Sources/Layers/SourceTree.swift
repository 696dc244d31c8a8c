import Foundation

/// A source file with its folder.
struct SourceFile: Hashable {
    /// The path for messages, which begins with the root as it was given.
    let path: String
    /// The outermost folder below the root; nil for a file that lies in the root itself.
    let folder: String?
    let modified: Date
}

/// A place in a source file.
struct Place: Hashable {
    let file: SourceFile
    let line: Int
    let column: Int
}

/// The source files below a folder, as they are now.
struct SourceTree {
    /// The files, in order of their paths.
    let files: [SourceFile]
    private let byPath: [String: SourceFile]

    init(root: String) throws(Unreadable) {
        // The compiler may have been given another path to the same folder.
        let folder = URL(filePath: root).resolvingSymlinksInPath()
        guard let paths = FileManager.default.subpaths(atPath: folder.path) else {
            throw Unreadable("there is no folder \(root)")
        }
        var (files, byPath): ([SourceFile], [String: SourceFile]) = ([], [:])
        for path in paths.sorted() where path.hasSuffix(".swift") {
            let file = folder.appending(path: path)
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            guard let modified = attributes?[.modificationDate] as? Date else { continue }
            let components = path.split(separator: "/")
            let source = SourceFile(
                path: (root.hasSuffix("/") ? root : root + "/") + path,
                folder: components.count > 1 ? String(components[0]) : nil,
                modified: modified
            )
            files.append(source)
            byPath[file.path] = source
        }
        guard !files.isEmpty else { throw Unreadable("there are no Swift sources in \(root)") }
        (self.files, self.byPath) = (files, byPath)
    }

    /// Returns the source file at a path that the compiler has recorded.
    func file(at path: String, from workingFolder: String) -> SourceFile? {
        if let file = byPath[path] { return file }
        guard path.hasSuffix(".swift") else { return nil }
        let base = URL(filePath: workingFolder, directoryHint: .isDirectory)
        return byPath[URL(filePath: path, relativeTo: base).resolvingSymlinksInPath().path]
    }
}
