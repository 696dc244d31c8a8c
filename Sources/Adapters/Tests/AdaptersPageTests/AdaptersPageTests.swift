import ErrorRouting
import Foundation
import Logging
import Testing

@Suite("The adapters' pages agree with the packages and compile")
struct AdaptersPageTests {
    private static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).appending(path: "../../..").standardized
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func `the README has a row for each product, with its package's version`() throws {
        let (page, manifest) = (try Self.text("README.md"), try Self.text("Package.swift"))
        let products = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        #expect(products.count == 9)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `ErrorRouting") }
        #expect(rows.count == products.count)
        for product in products { #expect(rows.contains { $0.hasPrefix("| `\(product)` | ") }, "\(product)") }
        let named = rows.compactMap { $0.firstMatch(of: /from ([0-9.]+)/)?.1 }
        // Exclude swift-nio's products, which add no package: Hummingbird and async-http-client depend on them anyway.
        let wanted = manifest.matches(of: /github.com\/[\w-]+\/([\w-]+)", from: "([0-9.]+)"/)
            .filter { !$0.1.hasPrefix("swift-nio") }.map(\.2)
        #expect(named.sorted() == wanted.sorted())
    }

    /// The modules that a source imports.
    private static func imports(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("import ") }
            .map { String($0.dropFirst("import ".count)) }
    }

    /// The lines of a source for comparison: without imports, empty lines, and spaces that only align comments.
    private static func lines(_ text: some StringProtocol) -> String {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    private static func snippets(_ page: String) throws -> [String] {
        try text(page).matches(of: #/```swift\n(.+?)\n```/#.dotMatchesNewlines()).map { String($0.1) }
    }

    @Test func `the README's only Swift is the lines of a manifest`() throws {
        let snippets = try Self.snippets("README.md")
        #expect(snippets.count == 1 && snippets.allSatisfy { $0.hasPrefix("dependencies: [") })
    }

    /// Each snippet is compiled in its own file, so its imports are complete.
    ///
    /// The library's own tests leave this page out, because only this package has the modules that it imports.
    @Test func `all Swift on the page about services is compiled here, and each snippet has its own imports`() throws {
        let snippets = try Self.snippets("../ErrorRouting/ErrorRouting.docc/InAService.md")
        // The fault lab compiles both programs. It also runs and terminates the program with Hummingbird.
        let programs = snippets.filter { $0.contains("@main") }
        #expect(snippets.count == 19 && programs.count == 2)
        #expect(programs.allSatisfy { $0.split(separator: "\n", omittingEmptySubsequences: false).count <= 40 })
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snippets")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }
        #expect(files.count == snippets.count - programs.count)
        for snippet in snippets where !snippet.contains("@main") {
            let compiled = files.first { Self.lines($0).contains(Self.lines(snippet)) }
            #expect(compiled.map(Self.imports) == Self.imports(snippet), "\(snippet)")
        }
    }

    @Test func `the first page for new users shows the middleware's line as it is compiled`() throws {
        let line = "router.add(middleware: ErrorReportingMiddleware())"
        #expect(try Self.text("../ErrorRouting/ErrorRouting.docc/GettingStarted.md").contains("`\(line)`"))
        #expect(try Self.text("../../Tests/Ecosystem/Sources/Todos/Application.swift").contains("    \(line)\n"))
    }

    @Test func `compiled snippets receive the metadata of the task's logger`() {
        let provider = ErrorBus.Configuration.taskLogger.metadataProvider
        let metadata = withLogger(mergingMetadata: ["order": "7"]) { _ in provider?(OrderMissing()) }
        #expect(metadata == ["order": "7"])
        #expect(provider?(OrderMissing()) == [:])
    }
}
