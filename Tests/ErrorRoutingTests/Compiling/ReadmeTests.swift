import Foundation
import TestSupport
import Testing

@Suite("The README's Swift compiles, and its figures are those of the tables", .hangLimit)
struct ReadmeTests {
    @Test("the snippets compile as one module")
    func snippets() async throws {
        let snippets = Markdown.swiftBlocks(in: try Markdown.text(of: "README.md"))
        // If the fences changed, the test would find no snippets and pass.
        #expect(snippets.count == 3)
        var sources = ["stage.swift": stage]
        for (index, snippet) in snippets.enumerated() {
            let imports = snippet.contains("import ") ? "" : "import ErrorRouting\n"
            sources["snippet\(index + 1).swift"] = imports + snippet
        }
        expect(try await Typechecker.errors(in: sources, modes: Typechecker.modes), equals: [])
    }

    /// A figure of the README, with the table and the row that it cites.
    private struct Figure: CustomStringConvertible {
        let nanoseconds: String
        let row: String
        let part: String

        init?(_ line: String) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[3].hasPrefix("`compare ") else { return nil }
            (nanoseconds, row) = (cells[1], cells[2])
            part = String(cells[3].dropFirst("`compare ".count).dropLast())
        }

        var description: String { "\(row), \(nanoseconds), of \(part).md" }
    }

    /// These few figures are copied by hand after a new measurement.
    @Test("each figure of the README is in the row of the table that it names")
    func figures() throws {
        let lines = try Markdown.text(of: "README.md").components(separatedBy: "\n")
        let figures = lines.compactMap(Figure.init)
        expect(figures.count, equals: 10)
        for figure in figures {
            let table = try Markdown.text(of: "Benchmarks/Results/\(figure.part).md").components(separatedBy: "\n")
            let row = table.first { $0.hasPrefix("| \(figure.row) |") }
            expect(
                row?.contains("| \(figure.nanoseconds) ("), equals: true, "\(figure) is not in: \(row ?? "no such row")"
            )
        }
    }

    @Test("the explanation quotes the source lines of the library's preset")
    func explanation() throws {
        let source = try Markdown.text(of: "Sources/ErrorRouting/Handling/ErrorHandler+Presets.swift")
        let lines = source.components(separatedBy: "\n")
        let readme = try Markdown.text(of: "README.md")
        let rules = readme.matches(of: /(\w+) +ErrorRouting\/ErrorHandler\+Presets\.swift:(\d+)/)
        expect(rules.map { String($0.1) }, equals: ["cancellation", "onNoMatch"])
        for rule in rules { #expect(Int(rule.2).map { lines[$0 - 1].contains(rule.1) } == true, "\(rule.0)") }
    }

    @Test("the tables of the page of figures are the files that the benchmarks wrote")
    func tables() throws {
        let page = try Markdown.text(of: "Benchmarks/README.md")
        for part in ["dispatch", "bus", "recovery"] {
            let table = try Markdown.text(of: "Benchmarks/Results/\(part).md")
            #expect(page.contains("<!-- \(part).md -->\n\(table)<!-- end of \(part).md -->\n"), "\(part)")
        }
    }

    /// Declarations that the snippets assume.
    private let stage = """
        import ErrorRouting

        struct CardDeclined: Error { let code: Int }
        struct TimedOut: Error {}
        nonisolated struct Logger { func error(_ message: String) {} }
        nonisolated let logger = Logger()
        actor Pager {
            static let shared = Pager()
            func page(_ text: String) throws {}
        }
        func askForAnotherCard(_ code: Int) async {}
        func syncOrders() async throws {}
        func onTimeout(_ callback: @escaping @Sendable () -> Void) {}
        func loadMenu() async throws -> String { "soup" }
        func serve(_ menu: String?) async {}
        """
}
