import Foundation
import Testing

@testable import ErrorAudit

@Suite("The pages agree with the tool")
struct PagesTests {
    private static func text(_ path: String) throws -> String {
        let folder = URL(filePath: #filePath).appending(path: "../../..").standardized
        return try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    private static func blocks(_ fence: String, in text: String) -> [String] {
        text.components(separatedBy: "```\(fence)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }
}

extension PagesTests {
    @Test func `the pages about migrating show the tool's output for the order service`() async throws {
        let page = try Self.text("../ErrorRouting/ErrorRouting.docc/Migrating.md")
        let section = try #require(page.components(separatedBy: "### See what you lose").last)
        let code = try #require(Self.blocks("swift", in: section).first)
        let scratch = try Scratch(["Orders.swift": code + "\n"])
        let output = try await Program([try Program.built("error-audit"), "Orders.swift", "--all"], in: scratch.path)
            .output
        #expect(Self.blocks("text", in: section).first == output.trimmingCharacters(in: .newlines))
    }

    @Test func `the pages have a row for each kind, with its rewrite`() throws {
        let rows = try Self.text("README.md").components(separatedBy: "\n")
        for kind in Kind.allCases {
            let row = rows.first { $0.hasPrefix("| `\(kind.rawValue)` |") }
            #expect(row?.hasSuffix("| yes |") == kind.isFixable, "\(kind)")
        }
    }
}
