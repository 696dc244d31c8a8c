import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .hangLimit)
struct DocumentationTests {}

extension DocumentationTests {
    @Test("the snippets of HTTPErrors' page compile as one module")
    func snippets() async throws {
        let page = try Markdown.text(of: "Sources/HTTPErrors/HTTPErrors.docc/HTTPErrors.md")
        let snippets = Markdown.swiftBlocks(in: page)
        expect(snippets.count, equals: 10)
        let sources = snippets.enumerated().map { ("snippet\($0).swift", $1) }
        expect(
            try await Typechecker.errors(in: Dictionary(uniqueKeysWithValues: sources), modes: Typechecker.modes),
            equals: [])
    }
}
