import Foundation
import Testing

@testable import ErrorAudit

@Suite("Advice compiles, and keeps what the code does")
struct AdviceTests {
    /// Code in which `«` and `»` mark a loss that the advice replaces.
    private static func shapes() throws -> [String] { try Cases.section("shapes", of: "Advice").map { $0[0] } }

    /// Returns the finding in a shape, and the shape after the advice has replaced the marked code.
    private static func advised(_ shape: String, plain: Bool = false) throws -> String {
        var configuration = Configuration()
        configuration.plain = plain
        let code = "func run() async throws { \(shape.filter { !"«»".contains($0) }) }"
        let findings = Audit(configuration).findings(in: code, path: "A.swift")
        let finding = try #require(findings.first, "\(shape)")
        let parts = shape.split(omittingEmptySubsequences: false) { "«»".contains($0) }.map(String.init)
        return parts[0] + finding.instead.replacing("{ … }", with: "{ return }") + parts[2]
    }
}

extension AdviceTests {
    @Test func `it compiles in the place of the code that it replaces`() async throws {
        let head = try Cases.section("declarations", of: "Advice").map { $0[0] }
        let functions = try Self.shapes().enumerated().map { index, shape in
            let advised = try Self.advised(shape)
            #expect(!advised.contains("…"), "\(shape)")
            let plain = Audit().audit(try Self.advised(shape, plain: true), path: "A.swift")
            #expect(plain.unread.isEmpty || !shape.hasPrefix("«"), "\(shape)")
            let parameters = "errors: ErrorBus, continuation: CheckedContinuation<Int?, Never>"
            return "func run\(index)(\(parameters)) async throws {\n\(advised)\n}"
        }
        let scratch = try Scratch(["Advice.swift": (head + functions).joined(separator: "\n") + "\n"])
        #expect(try await Program.errors(compiling: ["Advice.swift"], in: scratch, ["-swift-version", "6"]) == [])
    }

    @Test func `it keeps what the block does besides printing`() throws {
        let resumes = try Self.shapes().filter { $0.contains("continuation.resume(returning: nil)") }
        for shape in resumes {
            for plain in [false, true] {
                #expect(try Self.advised(shape, plain: plain).contains("; continuation.resume(returning: nil) }"))
            }
        }
        #expect(!resumes.isEmpty)
    }
}
