import TestSupport
import Testing

@Suite("The documentation's Swift compiles", .hangLimit)
struct DocumentationTests {}

extension DocumentationTests {
    @Test(
        "a page's snippets compile as one module, and snippets for Apple's platforms compile against stubs",
        arguments: [("ErrorPresentation", 3), ("InAnApp", 9)])
    func snippets(page: String, count: Int) async throws {
        let text = try Markdown.text(of: "Sources/ErrorPresentation/ErrorPresentation.docc/\(page).md")
        let snippets = Markdown.swiftBlocks(in: text)
        expect(snippets.count, equals: count)
        var sources = Dictionary(uniqueKeysWithValues: snippets.enumerated().map { ("snippet\($0).swift", $1) })
        // The module contains these types only on Apple's platforms, so they are checked with the page that uses them.
        // They use only the module's public declarations.
        for name in ["SwiftUI/View+PresentsErrors", "SwiftUI/AsyncButton", "UIKit/ErrorAlerts"] {
            let file = try Markdown.text(of: "Sources/ErrorPresentation/\(name).swift")
            sources[name.replacing("/", with: ".") + ".swift"] = "import ErrorPresentation\n" + file
        }
        sources["ofDarwin.swift"] = """
            import ErrorPresentation
            import ErrorRouting
            public struct LocalizedStringResource: ExpressibleByStringLiteral, Sendable {
                public init(stringLiteral key: String) {}
            }
            extension ErrorPresenter {
                func run(
                    failureTitle: LocalizedStringResource, errors: any ErrorPosting = .ambient,
                    fileID: String = #fileID, line: UInt = #line,
                    _ operation: @escaping @MainActor () async throws -> Void
                ) async {}
            }
            """
        let errors = try await Typechecker.errors(in: sources, modes: Typechecker.modes, stubs: appleStubs())
        expect(errors, equals: [])
    }

    @Test("the code for Sentry and Crashlytics compiles against their declarations")
    func crashReporters() async throws {
        let text = try Markdown.text(of: "Sources/ErrorRouting/ErrorRouting.docc/WithACrashReporter.md")
        let snippets = Markdown.swiftBlocks(in: text)
        expect(snippets.count, equals: 2)
        let sources = Dictionary(uniqueKeysWithValues: snippets.enumerated().map { ("snippet\($0).swift", $1) })
        let errors = try await Typechecker.errors(in: sources, modes: Typechecker.modes, stubs: crashReporterStubs)
        expect(errors, equals: [])
        // Without the declarations, the compiler would skip the code.
        #expect(text.contains("#if canImport(Sentry)") && text.contains("#if canImport(FirebaseCrashlytics)"))
    }
}
