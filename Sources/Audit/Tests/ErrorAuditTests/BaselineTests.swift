import Foundation
import Testing

@testable import ErrorAudit

@Suite("A baseline lists accepted findings, and an update only removes entries")
struct BaselineTests {
    private static func findings(_ text: String) -> [Finding] { Audit().findings(in: text, path: "F.swift") }
    private static let old = "func f() {\n    try? save()\n    go()\n}\n"
}

extension BaselineTests {
    @Test func `it identifies a finding by its kind, function, and call: not by its line or the line's text`() throws {
        let baseline = Baseline(Self.findings(Self.old))
        #expect(baseline.filter(Self.findings(Self.old)).isEmpty)
        #expect(baseline.filter(Self.findings("import A\n\n" + Self.old)).isEmpty)
        #expect(baseline.filter(Self.findings("func f() { _ = try? save(all, in: order) }")).isEmpty)
        #expect(baseline.filter(Self.findings(Self.old + Self.old.replacing("f()", with: "g()"))).map(\.line) == [6])
        for other in ["try? store.save(); go()", "Task { try save() }; go()", "try? save(); try? save()"] {
            #expect(baseline.filter(Self.findings("func f() { \(other) }")).count == 1, "\(other)")
        }
        let task = Baseline(Self.findings("func f() {\n  Task {\n    try await send()\n  }\n}\n"))
        #expect(task.filter(Self.findings("func f() {\n  Task {\n    try await pay()\n  }\n}\n")).count == 1)
        #expect(task.filter(Self.findings("struct A { func f() {\n  Task {\n try await send() } } }")).count == 1)
    }

    @Test func `it is the same text for the same findings, and can contain an entry twice`() throws {
        let scratch = try Scratch()
        let findings = Self.findings(OutputTests.text)
        try Baseline(findings).write(to: scratch.path + "/a")
        try Baseline(findings.reversed()).write(to: scratch.path + "/b")
        #expect(try scratch.read("a") == scratch.read("b"))
        let entries = try scratch.read("a").split(separator: "[")[1].split(separator: "]")[0]
        try scratch.write("{\"accepted\": [\(entries), \(entries)]}", to: "c")
        #expect(try Baseline(path: scratch.path + "/c") == Baseline(findings))
    }

    @Test func `an update drops fixed findings, adds no new ones, and keeps those that weren't looked for`() {
        let new = Self.findings("func g() { try? send(); go() }")
        var baseline = Baseline(Self.findings(Self.old + "func h() { try? load(); go(); try? load(); go() }"))
        baseline.drop(goneFrom: new + Self.findings("func h() { try? load(); go() }")) { _ in false }
        #expect(baseline == Baseline(Self.findings("func h() { try? load(); go() }")))
        baseline.drop(goneFrom: new) { $0.path == "F.swift" }
        #expect(baseline == Baseline(Self.findings("func h() { try? load(); go() }")))
    }
}
