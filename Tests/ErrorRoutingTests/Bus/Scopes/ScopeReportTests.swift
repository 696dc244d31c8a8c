import ErrorRoutingTesting
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@Suite(
    "Promises 21 and 22: a report has the path of the scope through which it was posted",
    .tags(.promise21, .promise22), .hangLimit)
struct ScopeReportTests {}

extension ScopeReportTests {
    @Test("every report has its scope's path, in actions and for observers; the bus's own reports have none")
    func paths() async {
        let journal = Journal<[String]>()
        let handler = ErrorHandler().on(Numbered.self) { _, report in
            journal.note(report.scope)
            return .next
        }
        let recorded = await withRecordedErrors(handler: handler) { bus in
            let intake = bus.scope("intake", handler: handler)
            let xml = intake.scope("xml", order: .rootFirst)
            expect(intake.path, equals: ["intake"])
            expect(xml.path, equals: ["intake", "xml"])
            bus.post(Numbered(1))
            intake.post(Numbered(2))
            xml.post(Numbered(3))
            await xml.deliver(Numbered(4))
        }
        let (none, intake, xml): ([String], [String], [String]) = ([], ["intake"], ["intake", "xml"])
        expect(recorded.reports.map(\.scope), equals: [none, intake, xml, xml])
        // It runs twice if the handler occurs twice on the path.
        expect(journal.entries, equals: [none, intake, intake, xml, xml, xml, xml])
    }

    @Test("reports are delivered in order, in whichever scope they are posted, and no task's reports are lost")
    func order() async {
        let recorded = await withRecordedErrors { bus in
            let scopes: [any ErrorPosting] = [bus, bus.scope("a"), bus.scope("b").scope("c"), bus.scope("a")]
            for number in 0..<400 { scopes[number % 4].post(Numbered(number)) }
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: Array(0..<400))
        expect(recorded.reports.map(\.sequence), equals: Array(1...400 as ClosedRange<UInt64>))
        expect(recorded.statistics.posted, equals: 400)
        #expect(recorded.statistics.isBalanced)

        let handler = ErrorHandler().on(Numbered.self) { _ in .next }
        let together = await withRecordedErrors(handler: handler) { bus in
            let shared = bus.scope("shared", handler: handler)
            await withTaskGroup { group in
                for poster in 0..<8 {
                    group.addTask {
                        // As in a service, each request has its own scope.
                        for number in 0..<100 {
                            let request = shared.scope("\(poster)", handler: handler, order: .rootFirst)
                            request.post(Numbered(poster * 1_000 + number))
                        }
                    }
                }
            }
        }
        let reports = together.reports
        expect(reports.count, equals: 800)
        for poster in 0..<8 {
            let own = reports.filter { $0.scope == ["shared", "\(poster)"] }
            expect(
                own.compactMap { $0.error as? Numbered }.map(\.number), equals: (0..<100).map { poster * 1_000 + $0 })
        }
        #expect(reports.allSatisfy { $0.outcome.matchedRuleCount == 3 })
    }

    @Test("tasks that were started in a scope are cancelled if the body of its bus throws, and are awaited")
    func tasks() async {
        let (journal, never) = (Journal<Int>(), Gate())
        await #expect(throws: Numbered(0)) {
            try await withErrorBus(handler: .noting(journal)) { bus in
                bus.scope("scope").task {
                    do { try await never.waitUnlessCancelled() } catch { throw Numbered(2) }
                }
                throw Numbered(0)
            }
        }
        expect(journal.entries, equals: [2])
    }
}
