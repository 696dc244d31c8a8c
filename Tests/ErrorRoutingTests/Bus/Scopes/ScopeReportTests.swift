import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Behaviours 21 and 22: a report has the path of the scope through which it was posted",
    .tags(.behaviour21, .behaviour22), .hangLimit)
struct ScopeReportTests {}

extension ScopeReportTests {
    @Test("every report has the path of its scope, in actions as for observers; the bus's own have none")
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
        // Twice where the handler is on the path twice.
        expect(journal.entries, equals: [none, intake, intake, xml, xml, xml, xml])
    }

    @Test("reports are delivered in order, through whichever scopes one posts, and none of many tasks at once is lost")
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
                        // One scope for each request, as in a service.
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

    @Test("deliver, through a scope or on a bus, returns whether anyone on the path handled it")
    func deliver() async {
        let bus = ErrorHandler().on(Numbered(1)) { _ in .stop }
        let outer = ErrorHandler().ignore(Numbered(2))
        let inner = ErrorHandler().on(Numbered(3)) { _ in .stop }
        await withErrorBus(handler: bus) { bus in
            let scope: any ErrorPosting = bus.scope("outer", handler: outer).scope("inner", handler: inner)
            expect(await scope.deliver(Numbered(1)).disposition, equals: .handled)
            expect(await scope.deliver(Numbered(2)).disposition, equals: .ignored)
            let outcome = await scope.deliver(Numbered(3))
            expect(outcome.disposition, equals: .handled)
            expect(outcome.rule?.matcher, equals: "value(Numbered(number: 3))")
            expect(await scope.deliver(Numbered(4)).disposition, equals: .unmatched)
            expect(await bus.deliver(Numbered(3)).disposition, equals: .unmatched)
        }
    }

    @Test("catching, rethrowing and task post through the scope, with the place and metadata of the call")
    func verbs() async {
        let recorded = await withRecordedErrors { bus in
            let scope = bus.scope("scope")
            scope.catching(metadata: ["by": "catching"]) { throw Numbered(1) }
            await scope.catching {
                await Task.yield()
                throw Numbered(2)
            }
            #expect(throws: Numbered(3)) {
                try scope.rethrowing { () throws(Numbered) in throw Numbered(3) }
            }
            await scope.task(metadata: ["by": "task"]) { throw Numbered(4) }.value
            // Cancellation is no error that anyone has to hear of.
            scope.catching { throw CancellationError() }
            await scope.task { throw CancellationError() }.value
        }
        expect(recorded.errors as? [Numbered], equals: (1...4).map(Numbered.init))
        #expect(recorded.reports.allSatisfy { $0.scope == ["scope"] && $0.source.fileID == #fileID })
        expect(recorded.reports.map { $0.metadata["by"] }, equals: ["catching", nil, nil, "task"])
    }

    @Test("withErrorBus waits for tasks that were started through its scopes, and cancels them if its body throws")
    func tasks() async {
        let gate = Gate()
        let recorded = await withRecordedErrors { bus in
            bus.scope("outer").scope("inner").task {
                await gate.wait()
                throw Numbered(1)
            }
            bus.task { gate.open() }
        }
        recorded.expectReported(.value(Numbered(1)), count: 1)

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
