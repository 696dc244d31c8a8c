import Foundation
import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .hangLimit)
struct DocumentationTests {
    /// The page that uses the adapters' modules; `AdaptersPageTests` in `Sources/Adapters` compiles all its snippets.
    static let adaptersPage = "Sources/ErrorRouting/ErrorRouting.docc/InAService.md"

    /// The other pages of these two modules.
    ///
    /// The other modules' tests compile their own pages.
    static let pages = ["ErrorRouting", "ErrorRoutingTesting"].flatMap { module in
        let catalog = "Sources/\(module)/\(module).docc"
        return Markdown.files(below: catalog).map { "\(catalog)/\($0)" }.filter { $0 != adaptersPage }
    }

    @Test("the pages are found")
    func catalogs() {
        // If a catalog moved, the tests below would find no pages and pass.
        #expect(Self.pages.count >= 12)
        #expect(Self.pages.contains { $0.hasSuffix("ErrorRoutingTesting.md") })
        #expect(Markdown.exists(Self.adaptersPage))
    }

    /// A block that begins with the comment `// Before` shows code to replace, which isn't compiled.
    @Test("the snippets of a page compile as one module", arguments: pages)
    func snippets(page: String) async throws {
        let snippets = Markdown.swiftBlocks(in: try Markdown.text(of: page)).filter { !$0.hasPrefix("// Before") }
        var sources: [String: String] = [:]
        for (index, snippet) in snippets.enumerated() { sources["snippet\(index + 1).swift"] = snippet }
        guard !sources.isEmpty else { return }
        expect(
            try await Typechecker.errors(
                in: sources, modes: Typechecker.modes, stubs: try PageStubs.imported(by: snippets)),
            equals: [], "\(page)")
    }
}

@Suite("Every promise is tested", .hangLimit)
struct PromiseTests {}

extension PromiseTests {
    /// The modules whose promises are numbered, the tags of these promises without the number, and the beginning of
    /// their headings.
    private static let modules = [
        ("ErrorRouting", "promise", "### Promise "), ("ErrorRecovery", "recovery", "### R"),
        ("HTTPErrors", "http", "### H"), ("ErrorPresentation", "presentation", "### P"),
        ("ErrorRecording", "recording", "### E"),
    ]

    @Test("each numbered promise has a suite with its tag, except for costs, which the benchmarks check")
    func tags() throws {
        let promised = try Self.modules.flatMap { module, tag, start in
            let page = try Markdown.text(of: "Sources/\(module)/\(module).docc/Promises.md").split(separator: "\n")
            let numbers = page.filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
            #expect(!numbers.isEmpty && numbers == (1...numbers.count).map { "\($0)" }, "\(module)")
            // The table at the top has a row for each promise.
            let anchors = numbers.map { "\(start.dropFirst(4))\($0)".lowercased().replacing(" ", with: "-") }
            let rows = page.filter { $0.hasPrefix("| [") }
            let missing = anchors.filter { anchor in !rows.contains { $0.contains("](Promises.md#\(anchor)) | ") } }
            expect(missing, equals: [])
            return numbers.map { "\(tag)\($0)" }
        }
        let tested = try Markdown.files(below: "Tests", endingIn: ".swift").flatMap { file in
            try Markdown.text(of: "Tests/\(file)").matches(of: /\.tags\(([^)]*)\)/).flatMap { tags in
                tags.1.matches(of: /\.(\w+)/).map { String($0.1) }
            }
        }
        expect(Set(promised).subtracting(tested), equals: ["recovery7"])
    }
}

@Suite("The page on the architecture names declarations that exist", .hangLimit)
struct ArchitecturePageTests {
    private let page: String

    init() throws { page = try Markdown.text(of: ".github/ARCHITECTURE.md") }

    @Test("each function that the page lists is declared in the file that it names")
    func functions() throws {
        let row = /\| (\d+) \| `([^`]+)` \| `([^`]+)` \|.*/
        let rows = page.matches(of: row).map(\.output)
        // Count the rows of both tables: a row in another form would be skipped.
        expect(rows.map(\.1), equals: [1...17, 1...6].joined().map { "\($0)" })
        for (_, _, declaration, file) in rows {
            let source = try Markdown.text(of: "Sources/ErrorRouting/\(file)")
            let lines = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let isDeclared = lines.contains { line in
                // The name must end there, so generic parameters or parameters follow.
                line.ranges(of: declaration).contains { range in
                    range.upperBound < line.endIndex && "(<[?".contains(line[range.upperBound])
                }
            }
            #expect(isDeclared, "\(declaration) is not declared in \(file)")
        }
    }

    @Test("each location of a change that the page lists is a file or a type")
    func positions() throws {
        let table = try #require(page.components(separatedBy: "## Where a change belongs").last)
        let names = table.matches(of: /\| .* \| (`.*`) \|/).flatMap { row in
            row.1.matches(of: /`([^`]+)`/).map { String($0.1) }
        }
        #expect(names.count > 10)
        let files = Markdown.files(below: "Sources/ErrorRouting", endingIn: ".swift")
        let sources = try files.map { try Markdown.text(of: "Sources/ErrorRouting/\($0)") }.joined(separator: "\n")
        let types = Set(sources.matches(of: /(?:struct|class|enum) (\w+)/).map { String($0.1) })
        let missing = names.filter { name in
            !types.contains(name) && !files.contains { $0.hasSuffix("/\(name).swift") }
        }
        expect(missing, equals: [])
    }
}
