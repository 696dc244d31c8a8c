import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .hangLimit)
struct DocumentationTests {}

extension DocumentationTests {
    @Test("the snippets of ErrorRecording's page compile as one module")
    func snippets() async throws {
        let page = try Markdown.text(of: "Sources/ErrorRecording/ErrorRecording.docc/ErrorRecording.md")
        let snippets = Markdown.swiftBlocks(in: page)
        expect(snippets.count, equals: 2)
        let sources = snippets.enumerated().map { ("snippet\($0).swift", $1) }
        expect(
            try await Typechecker.errors(in: Dictionary(uniqueKeysWithValues: sources), modes: Typechecker.modes),
            equals: [])
    }
}
