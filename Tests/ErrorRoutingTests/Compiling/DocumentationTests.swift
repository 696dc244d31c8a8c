import Foundation
import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .timeLimit(.minutes(10)))
struct DocumentationTests {
    /// The pages of these two modules; the other modules' tests compile their own.
    static let pages = ["ErrorRouting", "ErrorRoutingTesting"].flatMap { module in
        let catalog = "Sources/\(module)/\(module).docc"
        return Markdown.files(below: catalog).map { "\(catalog)/\($0)" }
    }

    @Test("the pages are found")
    func catalogs() {
        // A catalog that moved must not let the tests below pass for want of pages.
        #expect(Self.pages.count >= 15)
        #expect(Self.pages.contains { $0.hasSuffix("ErrorRoutingTesting.md") })
    }

    @Test("the snippets of a page compile as one module", arguments: pages)
    func snippets(page: String) async throws {
        let snippets = Markdown.swiftBlocks(in: try Markdown.text(of: page))
        var sources = snippets.isEmpty ? [:] : ["stage.swift": stage]
        for (index, snippet) in snippets.enumerated() { sources["snippet\(index + 1).swift"] = snippet }
        if !sources.isEmpty { expect(try await Typechecker.errorsInAllModes(of: sources), equals: [], "\(page)") }
    }

    /// Declarations that pages assume: a logger as in swift-log, which this package does not depend on.
    private let stage = """
        nonisolated struct Logger: Sendable {
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

@Suite("What is promised is tested")
struct PromiseTests {}

extension PromiseTests {
    /// The pages of promises: the tags of a page, its path, and what its promises begin with, before their numbers.
    private static let pages = [
        ("behaviour", "ErrorRouting/ErrorRouting.docc/Behaviours.md", "### Behaviour "),
        ("recovery", "ErrorRecovery/ErrorRecovery.docc/ErrorRecovery.md", "- term R"),
        ("http", "HTTPErrors/HTTPErrors.docc/HTTPErrors.md", "- term H"),
        ("presentation", "ErrorPresentation/ErrorPresentation.docc/ErrorPresentation.md", "- term P"),
        ("recording", "ErrorRecording/ErrorRecording.docc/ErrorRecording.md", "- term E"),
    ]

    @Test("each numbered promise has a suite with its tag, but for a cost, which the benchmarks check")
    func tags() throws {
        let promised = try Self.pages.flatMap { tag, page, start in
            let lines = try Markdown.text(of: "Sources/\(page)").split(separator: "\n")
            let headings = lines.filter { $0.hasPrefix(start) }
            let numbers = headings.map { $0.dropFirst(start.count).prefix(while: \.isNumber) }
            #expect(!numbers.isEmpty && numbers == (1...numbers.count).map { "\($0)" }, "\(page)")
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

@Suite("The page on an error's way names declarations that exist")
struct ErrorsWayTests {}

extension ErrorsWayTests {
    @Test("each function that the page lists is declared in the file that it names")
    func listed() throws {
        let page = try Markdown.text(of: ".github/AN_ERRORS_WAY.md")
        let row = /\| (\d+) \| `([^`]+)` \| `([^`]+)` \|.*/
        let rows = page.matches(of: row).map(\.output)
        // All of the three tables: a row in another form would be passed over.
        expect(rows.map(\.1), equals: [1...20, 1...5, 1...10].joined().map { "\($0)" })
        for (_, _, declaration, file) in rows {
            let source = try Markdown.text(of: "Sources/ErrorRouting/\(file)")
            let lines = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let isDeclared = lines.contains { line in
                // The name ends there: generic parameters or parameters follow.
                line.ranges(of: declaration).contains { range in
                    range.upperBound < line.endIndex && "(<[?".contains(line[range.upperBound])
                }
            }
            #expect(isDeclared, "\(declaration) is not declared in \(file)")
        }
    }
}
