import Foundation

/// What a part has measured, as it is written down.
struct Results {
    let name: String
    /// As Markdown.
    let table: String
    /// As SVG.
    let chart: String
    /// The ratios that something is wished for, as SVG; nil where nothing is.
    let ratios: String?

    private static let benchmarks = URL(filePath: #filePath).appending(path: "../../..").standardized
    private static let readme = benchmarks.appending(path: "README.md")

    /// Where they are written unless another folder is given.
    static let defaultFolder = benchmarks.appending(path: "Results")

    func write(into folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try table.write(to: folder.appending(path: "\(name).md"), atomically: true, encoding: .utf8)
        try chart.write(to: folder.appending(path: "\(name).svg"), atomically: true, encoding: .utf8)
        try ratios?.write(to: folder.appending(path: "\(name)-ratios.svg"), atomically: true, encoding: .utf8)
    }

    /// Puts the table where the README shows it.
    func updateReadme() throws {
        let text = try String(contentsOf: Self.readme, encoding: .utf8)
        let (begin, end) = ("<!-- \(name).md -->\n", "<!-- end of \(name).md -->")
        guard let first = text.range(of: begin), let last = text.range(of: end) else { return }
        let updated = text[..<first.upperBound] + table + text[last.lowerBound...]
        try updated.write(to: Self.readme, atomically: true, encoding: .utf8)
    }
}
