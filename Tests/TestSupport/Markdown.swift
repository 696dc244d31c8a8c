import Foundation

/// What tests read in the documentation.
package enum Markdown {
    /// A file of the package, by its path from the package's root.
    package static func text(of path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The names of the Markdown files in a folder of the package, in their order.
    package static func files(in folder: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        return try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(".md") }.sorted()
    }

    /// The blocks of Swift in a text, in their order.
    package static func swiftBlocks(in text: String) -> [String] {
        text.components(separatedBy: "```swift\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```").first
        }
    }
}
