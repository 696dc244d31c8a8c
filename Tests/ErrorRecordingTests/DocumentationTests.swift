import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .hangLimit)
struct DocumentationTests {}

extension DocumentationTests {
    private static let catalog = "Sources/ErrorRecording/ErrorRecording.docc"

    @Test("the snippets of each page compile as one module", arguments: Markdown.files(below: catalog))
    func snippets(page: String) async throws {
        let snippets = Markdown.swiftBlocks(in: try Markdown.text(of: "\(Self.catalog)/\(page)"))
        #expect(!snippets.isEmpty)
        let sources = snippets.enumerated().map { ("snippet\($0).swift", $1) }
        expect(
            try await Typechecker.errors(in: Dictionary(uniqueKeysWithValues: sources), modes: Typechecker.modes),
            equals: [])
    }
}
