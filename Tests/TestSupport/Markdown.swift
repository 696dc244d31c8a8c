package import Foundation

/// The package's files as tests of the documentation read them.
package enum Markdown {
    /// The package's folder.
    package static let root =
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// Returns a file of the package, by its path from the package's root.
    package static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Whether the package has a file or a folder at a path.
    package static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// Returns the sorted paths of the files below a folder of the package whose names have a suffix.
    ///
    /// The paths begin at the folder.
    package static func files(below folder: String, endingIn suffix: String = ".md") -> [String] {
        let folder = root.appending(path: folder)
        // Hidden folders are the builds of nested packages.
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        let paths = (files?.compactMap { ($0 as? URL)?.path } ?? []).filter { $0.hasSuffix(suffix) }
        return paths.map { String($0.dropFirst(folder.path.count + 1)) }.sorted()
    }

    /// Returns the blocks of Swift in a text, in order.
    package static func swiftBlocks(in text: String) -> [String] {
        text.components(separatedBy: "```swift\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```").first
        }
    }
}
