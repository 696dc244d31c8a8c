import Foundation

/// What tests read in the documentation.
package enum Markdown {
    private static let root =
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// A file of the package, by its path from the package's root.
    package static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The files below a folder of the package whose names end so, by their paths from the folder, in their order.
    package static func files(below folder: String, endingIn suffix: String = ".md") -> [String] {
        let folder = root.appending(path: folder)
        // What is hidden is passed over: the builds of nested packages.
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        let paths = (files?.compactMap { ($0 as? URL)?.path } ?? []).filter { $0.hasSuffix(suffix) }
        return paths.map { String($0.dropFirst(folder.path.count + 1)) }.sorted()
    }

    /// The blocks of Swift in a text, in their order.
    package static func swiftBlocks(in text: String) -> [String] {
        text.components(separatedBy: "```swift\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```").first
        }
    }
}
