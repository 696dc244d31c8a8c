import Testing

@testable import ErrorAudit

@Suite("Each shape has its findings, and the worst loss comes first")
struct ShapesTests {}

extension ShapesTests {
    @Test func `shapes have the findings of their tables`() throws {
        var found: Set<String> = []
        for (heading, cases) in try Cases.sections("Shapes") {
            for shape in cases {
                let isInFunction = heading.hasPrefix("in a function")
                let text = isInFunction ? "func f() async throws {\n\(shape[1])\n}" : shape[1]
                let kinds = Audit().findings(in: text, path: "A.swift").map {
                    $0.harmless == nil ? $0.kind.rawValue : "(\($0.kind.rawValue))"
                }
                found.formUnion(kinds)
                #expect((kinds.isEmpty ? "none" : kinds.joined(separator: " ")) == shape[0], "\(heading): \(shape[1])")
            }
        }
        let missing = Kind.allCases.map(\.rawValue).filter { found.isDisjoint(with: [$0, "(\($0))"]) }
        #expect(missing.isEmpty)
    }

    @Test func `findings are ordered by what is lost: payments and writes, then sends, then reads`() {
        let calls = ["try? load()", "try? chargePayment()", "try? post()", "try? save()"]
        let code = "func f() { \(calls.joined(separator: "; ")); go() }"
        let order = Audit().findings(in: code, path: "A.swift").ranked().map(\.identity.call)
        #expect(order == ["chargePayment", "save", "post", "load"])
    }
}
