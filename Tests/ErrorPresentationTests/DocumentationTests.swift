import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("the snippets of ErrorPresentation's pages compile as one module")
    func snippets() async throws {
        let page = try Markdown.text(of: "Sources/ErrorPresentation/ErrorPresentation.docc/ErrorPresentation.md")
        let snippets = Markdown.swiftBlocks(in: page)
        // Snippets for SwiftUI have another fence, and are not among these.
        #expect(snippets.count == 4)
        let sources = snippets.enumerated().map { ("snippet\($0).swift", $1) }
        #expect(try await Typechecker.errors(in: Dictionary(uniqueKeysWithValues: sources)) == [])
    }
}
