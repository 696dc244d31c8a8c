import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("every snippet of ErrorPresentation's pages, as one module")
    func snippets() async throws {
        let page = try Markdown.text(of: "Sources/ErrorPresentation/ErrorPresentation.docc/ErrorPresentation.md")
        let snippets = Markdown.swiftBlocks(in: page)
        // What is for SwiftUI has a fence of its own, and is not among these.
        #expect(snippets.count == 4)
        let sources = snippets.enumerated().map { ("snippet\($0).swift", $1) }
        #expect(try await Typechecker.errors(in: Dictionary(uniqueKeysWithValues: sources)) == [])
    }
}
