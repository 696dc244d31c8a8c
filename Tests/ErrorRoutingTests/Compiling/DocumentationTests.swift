import Foundation
import TestSupport
import Testing

@Suite("The documentation's Swift compiles, and its behaviours are numbered", .timeLimit(.minutes(10)))
struct DocumentationTests {
    /// The pages of the catalogs that have no suite of their own.
    static let pages = ["ErrorRouting", "ErrorRoutingTesting"].flatMap { module in
        let catalog = "Sources/\(module)/\(module).docc"
        return Markdown.files(below: catalog).map { "\(catalog)/\($0)" }
    }

    @Test("the catalogs have their pages")
    func catalogs() {
        // So that a moved catalog cannot make the tests below pass by finding nothing.
        #expect(Self.pages.count >= 15)
        #expect(Self.pages.contains { $0.hasSuffix("ErrorRoutingTesting.md") })
    }

    @Test("every snippet of a page, as one module", arguments: pages)
    func snippets(page: String) async throws {
        let snippets = Markdown.swiftBlocks(in: try Markdown.text(of: page))
        var sources = snippets.isEmpty ? [:] : ["stage.swift": stage]
        for (index, snippet) in snippets.enumerated() { sources["snippet\(index + 1).swift"] = snippet }
        if !sources.isEmpty { #expect(try await Typechecker.errors(in: sources) == [], "\(page)") }
    }

    @Test("each behaviour has a heading of its own, in order, so that a link to it stays good")
    func behaviours() throws {
        let page = try Markdown.text(of: "Sources/ErrorRouting/ErrorRouting.docc/Behaviours.md")
        let headings = page.components(separatedBy: "\n").filter { $0.hasPrefix("### ") }
        #expect(headings == (1...26).map { "### Behaviour \($0)" })
    }

    @Test("what the tests say of behaviours is said of ones that there are")
    func citations() throws {
        var cited: Set<Int> = []
        for file in Markdown.files(below: "Tests", endingIn: ".swift") {
            let text = try Markdown.text(of: "Tests/\(file)")
            // "Behaviour 6", "behaviours 13, 16, 21", "behaviours 11 and 13", "Behaviours.md#behaviour-7".
            for citation in text.matches(of: /[Bb]ehaviours?[ -]([0-9]+(?:(?:, | and )[0-9]+)*)/) {
                cited.formUnion(citation.1.matches(of: /[0-9]+/).compactMap { Int($0.0) })
            }
        }
        #expect(cited.count >= 10)
        #expect(cited.subtracting(1...26).isEmpty)
    }

    /// What pages take for granted: a logger as in swift-log, which this package does not depend on.
    private let stage = """
        struct Logger: Sendable {
            enum Level { case debug, info, warning, error }
            struct Message: ExpressibleByStringInterpolation { init(stringLiteral value: String) {} }
            enum MetadataValue { case string(String) }
            func log(
                level: Level, _ message: @autoclosure () -> Message,
                metadata: @autoclosure () -> [String: MetadataValue]? = nil, source: @autoclosure () -> String? = nil,
                file: String = #fileID, function: String = #function, line: UInt = #line
            ) {}
        }
        """
}
