import TestSupport
import Testing

@Suite("The README's Swift compiles", .timeLimit(.minutes(5)))
struct ReadmeTests {
    @Test("every snippet, as one module")
    func snippets() async throws {
        let snippets = Markdown.swiftBlocks(in: try Markdown.text(of: "README.md"))
        // So that a change of the fences cannot make the test pass by finding nothing.
        #expect(snippets.count >= 5)
        var sources = ["stage.swift": stage]
        for (index, snippet) in snippets.enumerated() {
            let imports = snippet.contains("import ") ? "" : "import ErrorRouting\n"
            sources["snippet\(index + 1).swift"] = imports + snippet
        }
        #expect(try await Typechecker.errors(in: sources) == [])
    }

    /// What the snippets take for granted.
    private let stage = """
        import ErrorRouting

        struct Order { var id: String }
        enum Flags { static let isReplaying = false }
        actor Pager {
            static let shared = Pager()
            func page(_ text: String) {}
        }
        func heartbeat() async throws {}
        func serve(errors: any ErrorPosting) async throws {}
        func readInbox() async throws {}
        func nextOrder() async throws -> Order { Order(id: "17") }
        struct Cart { var id: String }
        func charge(_ cart: Cart) async throws {}
        func freshToken() async throws -> String { "" }
        func sendReceipt(_ cart: Cart) async {}
        func onDisconnect(_ callback: @escaping @Sendable (any Error) -> Void) {}
        """
}
