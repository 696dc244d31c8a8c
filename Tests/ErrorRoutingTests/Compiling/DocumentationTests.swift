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
        if !sources.isEmpty { #expect(try await Typechecker.errors(in: sources) == [], "\(page)") }
    }

    /// Declarations that pages assume: a logger as in swift-log, which this package does not depend on.
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

@Suite("The numbered behaviours are those that the tests link to")
struct BehaviourLinkTests {
    private static let numbers = 1...27
    private static let page = "Sources/ErrorRouting/ErrorRouting.docc/Behaviours.md"

    /// A link in the comment above a suite: `[Behaviour 7](…/Behaviours.md#behaviour-7)`.
    private struct Link {
        let label, path, anchor: String

        init?(_ line: String) {
            guard let link = line.wholeMatch(of: /\/\/\/ \[([^\]]+)\]\(([^)#]+)#([^)]+)\)[,.]/) else { return nil }
            (label, path, anchor) = (String(link.1), String(link.2), String(link.3))
        }
    }

    /// A suite: its name, and the links above it.
    private struct CitingSuite {
        let file, name: String
        let links: [Link]

        static let all = Markdown.files(below: "Tests", endingIn: ".swift").flatMap { file in
            let text = (try? Markdown.text(of: "Tests/\(file)")) ?? ""
            let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            return lines.indices.filter { lines[$0].hasPrefix("@Suite") }.map { index in
                let above = lines[..<index].reversed().prefix { $0.hasPrefix("///") || $0.hasPrefix("@") }
                // A long name stands on the line after the attribute.
                let name = lines[index...].prefix(2).joined().firstMatch(of: /@Suite\("([^"]*)"/)?.1 ?? ""
                return CitingSuite(file: "Tests/\(file)", name: String(name), links: above.compactMap(Link.init))
            }
        }

        /// The behaviours that the name begins with: "Behaviours 4, 11 to 16 and 20: …".
        var numbersInName: Set<Int> {
            let list = name.prefixMatch(of: /Behaviours? ([^:]*):/)?.1 ?? ""
            return list.matches(of: /(\d+)(?: to (\d+))?/).reduce(into: []) { numbers, range in
                guard let first = Int(range.1), let last = Int(range.2 ?? range.1) else { return }
                numbers.formUnion(first...last)
            }
        }
    }

    @Test("each behaviour has a heading of its own, in order, so that a link to it stays good")
    func headings() throws {
        let headings = try Markdown.text(of: Self.page).components(separatedBy: "\n").filter { $0.hasPrefix("### ") }
        #expect(headings == Self.numbers.map { "### Behaviour \($0)" })
    }

    @Test("each link above a suite leads to a heading of an article, which is about what the link is called")
    func links() throws {
        var texts: [String: String] = [:]
        for suite in CitingSuite.all {
            let folder = suite.file.split(separator: "/").dropLast().joined(separator: "/")
            for link in suite.links {
                let path = "\(folder)/\(link.path)"
                guard let text = try? texts[path] ?? Markdown.text(of: path) else {
                    Issue.record("\(suite.file) links to a file that there is not: \(link.path)")
                    continue
                }
                texts[path] = text
                #expect(Markdown.anchors(in: text).contains(link.anchor), "\(suite.file): \(link)")
                if link.label.hasPrefix("Behaviour ") {
                    let anchor = link.label.lowercased().replacing(" ", with: "-")
                    #expect(link.anchor == anchor && path.hasSuffix(Self.page), "\(suite.file): \(link)")
                } else {
                    // What the other modules promise has numbers in one list: "- term R1: …".
                    #expect(text.contains("\n- term \(link.label): "), "\(suite.file): \(link)")
                }
            }
        }
    }

    @Test("a suite whose name begins with behaviours links to them, and each behaviour has a suite that links to it")
    func citations() throws {
        var cited: Set<Int> = []
        for suite in CitingSuite.all {
            let labels = suite.links.compactMap { $0.label.wholeMatch(of: /Behaviour (\d+)/)?.1 }
            let linked = Set(labels.compactMap { Int($0) })
            #expect(suite.numbersInName.isSubset(of: linked), "\(suite.file): \(suite.name)")
            #expect(!suite.name.contains("(behaviour"), "\(suite.file): \(suite.name)")
            cited.formUnion(linked)
        }
        #expect(cited == Set(Self.numbers))
    }

    @Test("behaviours that comments and names of tests speak of exist")
    func mentions() throws {
        for file in Markdown.files(below: "Tests", endingIn: ".swift") {
            // "Behaviour 6", "behaviours 13, 16 and 21", "Behaviours 1 to 4".
            for list in try Markdown.text(of: "Tests/\(file)").matches(of: /[Bb]ehaviours? ((\d+(, | and | to )?)+)/) {
                let numbers = list.1.matches(of: /\d+/).compactMap { Int($0.0) }
                #expect(numbers.allSatisfy(Self.numbers.contains), "\(file): \(list.0)")
            }
        }
    }
}

@Suite("The page on an error's way names declarations that exist")
struct ErrorsWayTests {
    @Test("each function that the page lists is declared in the file that it names")
    func listed() throws {
        let page = try Markdown.text(of: ".github/AN_ERRORS_WAY.md")
        let row = /\| (\d+) \| `([^`]+)` \| `([^`]+)` \|.*/
        let rows = page.matches(of: row).map(\.output)
        // All of them: a row in another form would be passed over.
        #expect(rows.map(\.1) == (1...30).map { "\($0)" })
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
