import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("Values of reports can be compared, ordered, and coded", .hangLimit)
struct ConformanceTests {}

extension ConformanceTests {
    private func coded<Value: Codable & Equatable>(_ value: Value, as text: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        expect(String(decoding: data, as: UTF8.self), equals: text)
        expect(try JSONDecoder().decode(Value.self, from: data), equals: value)
    }

    @Test("severities have the order of swift-log's levels")
    func order() {
        let all = ErrorReport.Severity.allCases
        expect(all.shuffled().sorted(), equals: all)
        #expect(ErrorReport.Severity.debug < .error && .critical > ErrorReport.Severity.error)
        expect(all.max(), equals: .critical)
    }

    @Test("severities, dispositions, roles, and sources are encoded by name")
    func coding() throws {
        try coded(ErrorReport.Severity.allCases, as: #"["trace","debug","info","notice","warning","error","critical"]"#)
        try coded(HandleOutcome.Disposition.unmatched, as: #""unmatched""#)
        try coded([ErrorReport.Role.attempt, .init("audit")], as: #"["attempt","audit"]"#)
        try coded(ErrorReport.Source(fileID: "Shop/Shop.swift", line: 3), as: #"{"fileID":"Shop/Shop.swift","line":3}"#)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ErrorReport.Severity.self, from: Data(#""loud""#.utf8))
        }
    }

    @Test("outcomes are equal if disposition, count, rule, and failures are equal")
    func outcomes() async {
        let handler = ErrorHandler()
            .on(Numbered.self) { error in
                if error.number > 2 { throw Numbered(error.number) }
                return .stop
            }
            .on(Numbered(2)) { _ in .next }
        func outcome(_ number: Int) async -> HandleOutcome { await handler.handle(Numbered(number)) }
        let (one, two, three) = (await outcome(1), await outcome(2), await outcome(3))
        let (oneAgain, twoAgain, threeAgain) = (await outcome(1), await outcome(2), await outcome(3))
        let four = await outcome(4)
        #expect(one == oneAgain && two == twoAgain && three == threeAgain)
        #expect(one != two && two != three && one != three && three != four)
        #expect(one != HandleOutcome(disposition: .handled, matchedRuleCount: 1))
        #expect(HandleOutcome(disposition: .ignored) != HandleOutcome(disposition: .unmatched))
    }

    @Test("explanations are equal if their entries are equal and their errors look the same")
    func explanations() {
        let handler = ErrorHandler().on(Numbered(1)) { _ in .stop }.ignore(Zoo.Timeout.self)
        #expect(handler.explain(Numbered(1)) == handler.explain(Numbered(1)))
        #expect(handler.explain(Numbered(1)).entries == handler.explain(Numbered(1)).entries)
        #expect(handler.explain(Numbered(1)) != handler.explain(Numbered(2)))
        #expect(handler.explain(Numbered(2)) != handler.explain(Numbered(3)))
        #expect(handler.explain(Zoo.Timeout()) != handler.onNoMatch { _ in .stop }.explain(Zoo.Timeout()))
    }
}
