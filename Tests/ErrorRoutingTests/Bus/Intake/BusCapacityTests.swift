import Foundation
import TestSupport
import Testing

// The check that statistics add up is internal, and so is the initializer of recorded errors.
@testable import ErrorRouting
@testable import ErrorRoutingTesting

@Suite(
    "Promises 13 and 14: memory is bounded, and each report is counted once when it completes",
    .tags(.promise13, .promise14), .hangLimit)
struct BusCapacityTests {}

extension BusCapacityTests {
    @Test("a full bus drops and counts the newest error, and one notice follows, from where the first was posted")
    func overflow() async {
        let line: UInt = #line + 3
        let recorded = await record(capacity: 3) { bus in
            for number in 0..<3 { bus.post(Numbered(number)) }
            bus.post(Numbered(3), metadata: ["secret": "x"])
            for number in 4..<10 { bus.post(Numbered(number)) }
            expect(bus.statistics.posted, equals: 11)
            expect(bus.statistics.dropped, equals: 7)
            expect(bus.statistics.pending, equals: 4)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [0, 1, 2])
        let drops = ErrorsDropped(count: 7, byType: ["ErrorRoutingTests.Numbered": 7])
        expect(recorded.matches(of: .type(ErrorsDropped.self)), equals: [drops])
        expect(recorded.reports.last?.source.line, equals: line)
        expect(recorded.reports.last?.metadata, equals: [:])
        #expect(recorded.statistics.isBalanced)
    }

    @Test("neither the report in delivery nor a notice takes capacity, and the notice counts later drops too")
    func noticeTakesNoCapacity() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler.hanging(on: 1, at: gate, entered: entered)
        let configuration = ErrorBus.Configuration(capacity: 2, actionTimeLimit: nil)
        let recorded = await withRecordedErrors(handler: handler, configuration: configuration) { bus in
            bus.post(Numbered(1))
            await entered.wait()
            // Fill the queue, then drop two errors. So the notice comes after 2 and 3.
            for number in 2...5 { bus.post(Numbered(number)) }
            expect(bus.statistics.pending, equals: 4)
            gate.open()
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2, 3])
        expect(recorded.matches(of: .type(ErrorsDropped.self)).map(\.count), equals: [2])
    }

    @Test("each kind of outcome has its own count, and the counts balance at rest")
    func law() async {
        let handler = ErrorHandler()
            .on(matching: .type(Numbered.self).where { $0.number % 3 == 0 }) { error in
                if error.number % 2 == 0 { throw Numbered(-1) }
                return .stop
            }
            .ignore(matching: .type(Numbered.self).where { $0.number % 3 == 1 })
        let recorded = await record(handler: handler, capacity: 30) { bus in
            for number in 0..<40 { bus.post(Numbered(number)) }
        }
        let counts = recorded.statistics
        #expect(counts.isBalanced)
        // 40 errors, the notice of 10 drops, and the notices of 5 failures (0, 6, 12, 18, 24).
        expect(counts.posted, equals: 46)
        expect(counts.handled, equals: 10)
        expect(counts.ignored, equals: 10)
        expect(counts.unmatched, equals: 10 + 1 + 5)
        expect(counts.dropped, equals: 10)
        expect(counts.suppressed, equals: 0)
        expect(counts.pending, equals: 0)
        expect(counts.actionFailures, equals: 5)
        expect(
            counts.description,
            equals: """
                posted 46 = handled 10 + ignored 10 + unmatched 16 + suppressed 0 + dropped 10 + pending 0; \
                action failures 5
                """
        )

        let statistics = ErrorBus.Statistics(
            posted: 21, handled: 1, ignored: 2, unmatched: 3, suppressed: 4, dropped: 5, pending: 6)
        let names = ["handled", "ignored", "unmatched", "suppressed", "dropped", "pending"]
        expect(statistics.counts.map(\.key), equals: names)
        expect(statistics.counts.map(\.value), equals: [1, 2, 3, 4, 5, 6])
        expect(statistics.counts.reduce(0) { $0 + $1.value }, equals: statistics.posted)
        #expect(statistics.isBalanced)
    }

    @Test("a bus with unlimited capacity accepts posts, counts them, and closes when its tasks have ended")
    func largestCapacity() async {
        let bus = await withErrorBus(handler: ErrorHandler(), configuration: .init(capacity: .max)) { bus in
            for number in 0..<10 { bus.post(Numbered(number)) }
            #expect(bus.statistics.isBalanced)
            return bus
        }
        expect(bus.statistics, equals: .init(posted: 10, unmatched: 10))
    }

    /// A family of types, with one type for each parameter.
    struct Typed<Parameter>: Error {}

    @Test(
        "drops of several types are counted by type, and each notice counts only drops since the previous notice")
    func severalTypes() async {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 1))
        var notices = bus.reports(matching: .type(ErrorsDropped.self)).makeAsyncIterator()
        bus.post(Numbered(0))
        for number in 1...2 { bus.post(Numbered(number)) }
        for error in [Zoo.Payment.expired, .unavailable, .declined(code: 1)] { bus.post(error) }
        bus.post(NSError(domain: "a", code: 1))
        let running = Task { await bus.run() }
        let (first, report) = await notices.next() ?? (ErrorsDropped(count: 0), nil)
        expect(first.count, equals: 6)
        expect(
            first.byType,
            equals: [
                "ErrorRoutingTests.Numbered": 2, "ErrorRoutingTests.Zoo.Payment": 3,
                String(reflecting: NSError.self): 1,
            ]
        )
        expect(report?.outcome.disposition, equals: .unmatched)
        #expect(
            first.description.contains("(3 of ErrorRoutingTests.Zoo.Payment, 2 of ErrorRoutingTests.Numbered, 1 of "))
        bus.finish()
        await running.value
        expect(bus.statistics.dropped, equals: 6)
        expect(bus.statistics.posted, equals: 8)
        #expect(bus.statistics.isBalanced)

        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler().on(ErrorsDropped.self) { _ in
            entered.open()
            await gate.wait()
            return .stop
        }
        let other = ErrorBus(handler: handler, configuration: .init(capacity: 1))
        let all = other.reports(matching: .type(ErrorsDropped.self))
        for number in 0...3 { other.post(Numbered(number)) }
        let runningOther = Task { await other.run() }
        await entered.wait()
        // The first notice is in delivery, so these drops belong to the second notice.
        other.post(Numbered(4))
        for _ in 0..<2 { other.post(Zoo.Offline()) }
        other.post(Numbered(5))
        gate.open()
        other.finish()
        await runningOther.value
        expect(
            await all.collected().map(\.output),
            equals: [
                ErrorsDropped(count: 3, byType: ["ErrorRoutingTests.Numbered": 3]),
                ErrorsDropped(
                    count: 3,
                    byType: ["ErrorRoutingTests.Numbered": 1, "ErrorRoutingTests.Zoo.Offline": 2]
                ),
            ]
        )
    }

    @Test("in a flood of many types from many threads, each drop is counted in exactly one notice")
    func manyTypesAtOnce() async {
        let recorded = await withRecordedErrors(configuration: .init(capacity: 1)) { bus in
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { @concurrent in for _ in 0..<20 { self.post(Never.self, 40, to: bus) } }
                }
            }
        }
        var ends: [String: Int] = [:]
        for error in recorded.errors {
            if let drops = error as? ErrorsDropped {
                ends.merge(drops.byType, uniquingKeysWith: +)
                expect(drops.byType.values.reduce(0, +), equals: drops.count)
                #expect(drops.count > 0)
            } else {
                ends[String(reflecting: type(of: error)), default: 0] += 1
            }
        }
        expect(ends.count, equals: 40)
        #expect(ends.values.allSatisfy { $0 == 80 })
        #expect(recorded.statistics.isBalanced)
    }

    /// Posts one error of each of `count` types.
    private func post<Parameter>(_ parameter: Parameter.Type, _ count: Int, to bus: ErrorBus) {
        if count == 0 { return }
        bus.post(Typed<Parameter>())
        post(Optional<Parameter>.self, count - 1, to: bus)
    }

    /// Posts while no report is delivered yet, then delivers.
    private func record(
        handler: ErrorHandler = ErrorHandler(),
        capacity: Int,
        _ post: (ErrorBus) -> Void
    ) async -> RecordedErrors {
        let bus = ErrorBus(handler: handler, configuration: .init(capacity: capacity))
        let reports = bus.reports(bufferingNewest: .max)
        post(bus)
        bus.finish()
        await bus.run()
        return RecordedErrors(reports: await reports.collected(), statistics: bus.statistics)
    }
}
