import ErrorRouting
import TestSupport
import Testing

@Suite("Promise 28: a report has a severity, by its role and outcome", .tags(.promise28), .hangLimit)
struct SeverityTests {}

extension SeverityTests {
    private typealias Severity = ErrorReport.Severity

    private static func report(
        _ error: any Error = Numbered(1), _ role: ErrorReport.Role = .failure,
        _ disposition: HandleOutcome.Disposition = .unmatched
    ) -> ErrorReport {
        ErrorReport(error: error, role: role, source: .init(), outcome: HandleOutcome(disposition: disposition))
    }

    @Test("severity depends on a failure's outcome, a notice's or attempt's role, and the type of the bus's errors")
    func outcomes() async {
        let failures: [HandleOutcome.Disposition: Severity] = [
            .ignored: .debug, .handled: .notice, .unmatched: .error, .dropped: .error, .pending: .error,
        ]
        let failing = ErrorHandler().on(Numbered.self) { _ in throw Zoo.Offline() }
        let failure = await failing.handle(Numbered(1)).failures[0]
        for disposition in HandleOutcome.Disposition.allCases {
            expect(Self.report(Numbered(1), .failure, disposition).severity, equals: failures[disposition])
            expect(Self.report(Numbered(1), .notice, disposition).severity, equals: .notice)
            expect(Self.report(Numbered(1), .attempt, disposition).severity, equals: .info)
            expect(Self.report(Numbered(1), .init("audit"), disposition).severity, equals: .info)
            expect(Self.report(failure, .failure, disposition).severity, equals: .error)
            let dropped = ErrorsDropped(count: 1, byType: [:])
            expect(Self.report(dropped, .failure, disposition).severity, equals: .critical)
        }
    }

    @Test("a map's value takes precedence for failures; nil leaves the severity unchanged, by rule or by default")
    func map() {
        let map = ErrorMap<Severity?>().on(Zoo.Offline.self, .critical).on(Zoo.Timeout.self, nil)
            .on(Numbered(1), .warning)
        expect(Self.report().severity(by: map), equals: .warning)
        expect(Self.report(Numbered(1), .failure, .ignored).severity(by: map), equals: .warning)
        expect(Self.report(Numbered(2)).severity(by: map), equals: .error)
        expect(Self.report(Zoo.Offline()).severity(by: map), equals: .critical)
        expect(Self.report(Zoo.Timeout()).severity(by: map), equals: .error)
        expect(Self.report(Zoo.Timeout(), .failure, .ignored).severity(by: map), equals: .debug)
        expect(Self.report(Numbered(1), .attempt).severity(by: map), equals: .info)
        expect(Self.report(Numbered(1), .notice).severity(by: map), equals: .notice)
    }

    @Test("the default of a table whose values aren't optional applies to every failure")
    func table() {
        let table = ErrorMap(default: Severity.critical).on(Numbered(1), .warning)
        expect(Self.report(Numbered(1)).severity(by: table.map { $0 }), equals: .warning)
        expect(Self.report(Numbered(2), .failure, .handled).severity(by: table.map { $0 }), equals: .critical)
        expect(Self.report(Numbered(2), .notice).severity(by: table.map { $0 }), equals: .notice)
    }

    @Test("raw values are those of swift-log")
    func names() {
        expect(
            Severity.allCases.map(\.rawValue),
            equals: ["trace", "debug", "info", "notice", "warning", "error", "critical"])
    }
}
