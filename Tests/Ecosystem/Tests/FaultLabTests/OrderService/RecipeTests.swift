import Foundation
import Testing

/// The recipes are what one has to write to bring the packages together.
@Suite("The recipes are short, and the documentation says what they need")
struct RecipeTests {
    private static let package = URL(filePath: #filePath).appending(path: "../../../..").standardized
    private static let recipes = ["Lifecycle", "Log", "Metrics", "Middleware", "Tracing", "TwoSides"]

    private static func recipe(_ name: String) throws -> String { try source("Recipes/\(name).swift") }

    private static func source(_ path: String) throws -> String {
        try String(contentsOf: package.appending(path: "Sources/OrderService/\(path)"), encoding: .utf8)
    }

    private static func page() throws -> String {
        let file = package.appending(path: "../../Sources/ErrorRouting/ErrorRouting.docc/OnTheEcosystem.md")
        return try String(contentsOf: file.standardized, encoding: .utf8)
    }

    /// The lines that are neither blank nor a comment.
    private static func lines(of name: String) throws -> [Substring] {
        try recipe(name).split(separator: "\n").filter { line in
            let text = line.drop { $0 == " " }
            return !text.isEmpty && !text.hasPrefix("//")
        }
    }

    @Test func `there are no others, and they have few lines`() throws {
        let folder = Self.package.appending(path: "Sources/OrderService/Recipes").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == Self.recipes.map { "\($0).swift" })
        var (code, imports) = (0, 0)
        for name in Self.recipes {
            let lines = try Self.lines(of: name)
            let importing = lines.count { $0.hasPrefix("import ") }
            Table.row("recipe", name, "\(lines.count - importing) lines", "\(importing) imports")
            (code, imports) = (code + lines.count - importing, imports + importing)
        }
        #expect(code <= 151, "\(code) lines")
        #expect(imports <= 16, "\(imports) imports")
    }

    @Test func `the documentation lists the modules that each of the files imports`() throws {
        let transport = "../AsyncHTTPClientTransport/AsyncHTTPClientTransport.swift"
        for path in Self.recipes.map({ "Recipes/\($0).swift" }) + ["Policy.swift", transport] {
            let name = path.split(separator: "/").last ?? ""
            let row = try Self.page().split(separator: "\n").first { $0.hasPrefix("| `\(name)`") }
            let imports = try Self.source(path).split(separator: "\n").filter { $0.contains("import ") }
            for line in imports {
                guard let module = line.split(separator: " ").last else { continue }
                if ["Foundation", "Synchronization", "ErrorRouting"].contains(module) { continue }
                #expect(row?.contains("`\(module)`") == true, "\(name): \(module)")
            }
        }
    }
}
