import Foundation
import Testing

@Suite("The adapters' page")
struct AdaptersPageTests {
    private static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).appending(path: "../../..").standardized
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func `has a row for each product, with its package's version`() throws {
        let (page, manifest) = (try Self.text("README.md"), try Self.text("Package.swift"))
        let products = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        #expect(products.count == 7)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == products.count)
        for product in products { #expect(rows.contains { $0.hasPrefix("| `\(product)` | ") }, "\(product)") }
        let named = rows.compactMap { $0.firstMatch(of: /from ([0-9.]+)/)?.1 }
        // Those of swift-nio are no others: Hummingbird and async-http-client depend on them themselves.
        let wanted = manifest.matches(of: /github.com\/[\w-]+\/([\w-]+)", from: "([0-9.]+)"/)
            .filter { !$0.1.hasPrefix("swift-nio") }.map(\.2)
        #expect(named.sorted() == wanted.sorted())
    }

    /// The lines of a text as they are compared: without blanks that only align, imports and empty lines.
    private static func lines(_ text: some StringProtocol) -> String {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    @Test func `has no Swift but what is compiled with the tests`() throws {
        let page = try Self.text("README.md")
        let snippets = page.matches(of: /```swift\n(.+?)\n```/.dotMatchesNewlines()).map { String($0.1) }
        // The first is of a manifest.
        #expect(snippets.count == 11 && snippets[0].hasPrefix("dependencies: ["))
        let compiled = Self.lines(try Self.text("Tests/AdaptersPageTests/Snippets.swift"))
        for snippet in snippets.dropFirst() { #expect(compiled.contains(Self.lines(snippet)), "\(snippet)") }
    }
}
