import Foundation
import Testing

/// What the page of the adapters says of the package is what the package's manifest says.
@Suite("The adapters' page names their products and versions")
struct AdaptersPageTests {
    private static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).appending(path: "../../../../../../Sources/Adapters").standardized
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func `each product has its row, with its package's version`() throws {
        let (page, manifest) = (try Self.text("README.md"), try Self.text("Package.swift"))
        let products = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        #expect(products.count == 7)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == products.count)
        for product in products { #expect(rows.contains { $0.hasPrefix("| `\(product)` | ") }, "\(product)") }
        let named = rows.compactMap { $0.firstMatch(of: /from ([0-9.]+)/)?.1 }
        // Those of swift-nio are no others: Hummingbird and async-http-client depend on them themselves.
        let wanted = manifest.matches(of: /github.com\/[\w-]+\/([\w-]+)", from: "([0-9.]+)"/)
            .filter { !$0.1.hasPrefix("swift-nio") }.map(\.2)
        #expect(named.sorted() == wanted.sorted())
    }
}
