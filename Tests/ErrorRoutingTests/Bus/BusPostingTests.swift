import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite(
    "Promise 11: post returns immediately, from any thread, and keeps the order of each caller's posts",
    .tags(.promise11), .hangLimit)
struct BusPostingTests {}

extension BusPostingTests {
    @Test("post returns while an action hangs")
    func postDoesNotWait() async {
        let gate = Gate()
        let handler = ErrorHandler.hanging(at: gate)
        await withErrorBus(handler: handler) { bus in
            for number in 0..<100 { bus.post(Numbered(number)) }
            // The action still hangs, so no post has waited for it.
            gate.open()
        }
    }

    @Test("each caller's reports are delivered in order, however many callers post at the same time")
    func orderPerPoster() async {
        let recorded = await withRecordedErrors { bus in
            await withTaskGroup { group in
                for poster in 0..<8 {
                    group.addTask { @concurrent in
                        for number in 0..<500 { bus.post(Numbered(poster * 1_000 + number)) }
                    }
                }
            }
        }
        let numbers = recorded.matches(of: .type(Numbered.self)).map(\.number)
        expect(numbers.count, equals: 4_000)
        for poster in 0..<8 {
            expect(numbers.filter { $0 / 1_000 == poster }, equals: (0..<500).map { poster * 1_000 + $0 })
        }
    }

    @Test("a report has the location, the time, and the metadata of its post")
    func reportContents() async throws {
        let before = Date()
        let line: UInt = #line + 2
        let recorded = await withRecordedErrors { bus in
            bus.post(Numbered(1), metadata: ["order": "17"])
        }
        let report = try #require(recorded.reports.first)
        expect(report.source, equals: .init(fileID: #fileID, line: line))
        expect(report.source.module, equals: "ErrorRoutingTests")
        expect(report.metadata, equals: ["order": "17"])
        #expect(report.scope.isEmpty)
        expect(report.occurrences, equals: 1)
        expect(report.sequence, equals: 1)
        expect(ErrorReport(error: Numbered(0), source: .init()).sequence, equals: 0)
        // This time is computed from another clock, so the two differ by the time between the two readings.
        #expect(report.date > before.addingTimeInterval(-1) && report.date < Date().addingTimeInterval(1))
        expect(report.outcome.disposition, equals: .unmatched)
    }

    @Test("deliver returns .pending if its caller is or becomes cancelled, and the error is still delivered")
    func cancelledDeliver() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler.hanging(at: gate, entered: entered)
        let unlimited = ErrorBus.Configuration(actionTimeLimit: nil)
        let recorded = await withRecordedErrors(handler: handler, configuration: unlimited) { bus in
            let waiting = Task { await bus.deliver(Numbered(1)) }
            await entered.wait()
            waiting.cancel()
            expect(await waiting.value.disposition, equals: .pending)
            gate.open()
        }
        expect(recorded.reports.map(\.outcome.disposition), equals: [.handled])

        // Wait here, so that the error isn't handled before its caller checks.
        let other = Gate()
        let waiting = ErrorHandler.hanging(at: other)
        let again = await withRecordedErrors(handler: waiting, configuration: unlimited) { bus in
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await bus.deliver(Numbered(1))
            }
            expect(await task.value.disposition, equals: .pending)
            other.open()
        }
        again.expectReported(.value(Numbered(1)), count: 1)
    }
}
