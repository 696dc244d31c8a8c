import Foundation

/// The files in the folder `Cases`.
///
/// Each file consists of sections with headings. Each line of a section is a case, and `::` separates its columns.
enum Cases {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases")

    /// Returns the cases of each section.
    static func sections(_ name: String) throws -> [String: [[String]]] {
        let text = try String(contentsOf: folder.appending(path: name + ".txt"), encoding: .utf8)
        let sections = text.components(separatedBy: "\n## ").dropFirst().map { section in
            let lines = section.components(separatedBy: "\n")
            let cases = lines.dropFirst().filter { !$0.isEmpty && !$0.hasPrefix("> ") }.map {
                $0.replacing("⏎", with: "\n").replacing("␍", with: "\r").components(separatedBy: " :: ")
            }
            return (lines[0], cases)
        }
        return Dictionary(uniqueKeysWithValues: sections)
    }

    /// Returns the cases of one section.
    static func section(_ heading: String, of name: String) throws -> [[String]] {
        guard let cases = try sections(name)[heading] else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSDebugDescriptionErrorKey: heading])
        }
        return cases
    }
}
