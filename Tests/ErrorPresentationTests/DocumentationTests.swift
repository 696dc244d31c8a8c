import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .hangLimit)
struct DocumentationTests {}

extension DocumentationTests {
    @Test(
        "a page's snippets compile as one module, and those for Apple's platforms against stubs",
        arguments: [("ErrorPresentation", 4), ("GettingStartedInAnApp", 7)])
    func snippets(page: String, count: Int) async throws {
        let text = try Markdown.text(of: "Sources/ErrorPresentation/ErrorPresentation.docc/\(page).md")
        let snippets = Markdown.swiftBlocks(in: text)
        expect(snippets.count, equals: count)
        var sources = Dictionary(uniqueKeysWithValues: snippets.enumerated().map { ("snippet\($0).swift", $1) })
        // The module contains the modifier only on Apple's platforms, so it is checked with the page that uses it.
        let modifier = try Markdown.text(of: "Sources/ErrorPresentation/SwiftUI/View+PresentsErrors.swift")
        sources["modifier.swift"] = "import ErrorPresentation\n" + modifier
        sources["binding.swift"] = """
            import ErrorPresentation
            import SwiftUI
            extension ErrorPresenter {
                func binding(for style: PresentationStyle) -> Binding<PresentedError?> { .constant(nil) }
            }
            """
        let swiftUI = try Markdown.text(of: ".ci/darwin-stubs/SwiftUI.swift")
        let errors = try await Typechecker.errors(
            in: sources, modes: Typechecker.modes, stubs: appleStubs.merging(["SwiftUI": swiftUI]) { $1 })
        expect(errors, equals: [])
    }
}
