import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .timeLimit(.minutes(10)))
struct DocumentationTests {}

extension DocumentationTests {
    @Test(
        "the snippets of a page compile as one module, those for Apple's platforms against stubs",
        arguments: [("ErrorPresentation", 4), ("GettingStartedInAnApp", 8)])
    func snippets(page: String, count: Int) async throws {
        let text = try Markdown.text(of: "Sources/ErrorPresentation/ErrorPresentation.docc/\(page).md")
        let snippets = Markdown.swiftBlocks(in: text)
        expect(snippets.count, equals: count)
        let sources = snippets.enumerated().map { ("snippet\($0).swift", $1) }
        let errors = try await Typechecker.errors(
            in: Dictionary(uniqueKeysWithValues: sources), modes: Typechecker.modes,
            stubs: appleStubs.merging(["SwiftUI": swiftUIStub]) { $1 })
        expect(errors, equals: [])
    }
}
