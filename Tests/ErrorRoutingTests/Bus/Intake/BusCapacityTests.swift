import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Behaviours 13 and 14: memory is bounded, and each report is counted once at its end",
    .tags(.behaviour13, .behaviour14), .hangLimit)
struct BusCapacityTests {}

extension BusCapacityTests {
    @Test("at capacity the newest is dropped and counted, and one notice follows in-band")
    func overflow() async {
        let recorded = await record(capacity: 3) { bus in
            for number in 0..<10 { bus.post(Numbered(number)) }
            expect(bus.statistics.posted, equals: 11)
            expect(bus.statistics.dropped, equals: 7)
            expect(bus.statistics.pending, equals: 4)
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [0, 1, 2])
        expect(recorded.matches(of: .type(ErrorsDropped.self)), equals: [dropped(7)])
        #expect(recorded.errors.last is ErrorsDropped)
        #expect(recorded.statistics.isBalanced)
    }

    @Test("the report in delivery takes no capacity")
    func inDeliveryIsNotCounted() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler().on(Numbered(0)) { _ in
            entered.open()
            await gate.wait()
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler, configuration: .init(capacity: 1)) { bus in
            bus.post(Numbered(0))
            await entered.wait()
            bus.post(Numbered(1))
            expect(bus.statistics.pending, equals: 2)
            expect(bus.statistics.dropped, equals: 0)
            gate.open()
        }
        recorded.expectReported(.type(Numbered.self), count: 2)
        recorded.expectNoneReported(.type(ErrorsDropped.self))
    }

    @Test("a notice takes no capacity, and later drops add to it until it is delivered")
    func noticeTakesNoCapacity() async {
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler().on(Numbered(1)) { _ in
            entered.open()
            await gate.wait()
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler, configuration: .init(capacity: 2)) { bus in
            bus.post(Numbered(1))
            await entered.wait()
            // Fills the queue, then drops two; then the notice stands behind 2 and 3.
            for number in 2...5 { bus.post(Numbered(number)) }
            expect(bus.statistics.pending, equals: 4)
            gate.open()
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2, 3])
        expect(recorded.matches(of: .type(ErrorsDropped.self)).map(\.count), equals: [2])
    }

    @Test("after a notice is delivered the next drop makes a new one")
    func noticesFollowEachOther() async {
        let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(capacity: 1))
        let reports = bus.reports(bufferingNewest: .max)
        for number in 0..<3 { bus.post(Numbered(number)) }
        let running = Task { await bus.run() }
        var iterator = reports.makeAsyncIterator()
        expect(await iterator.next()?.error as? Numbered, equals: Numbered(0))
        expect(await iterator.next()?.error as? ErrorsDropped, equals: dropped(2))
        bus.finish()
        await running.value
        #expect(bus.statistics.posted == 4 && bus.statistics.isBalanced)
    }

    @Test("an ErrorsDropped report says where the first of the dropped errors was posted")
    func noticeSource() async {
        let line: UInt = #line + 3
        let recorded = await record(capacity: 1) { bus in
            bus.post(Numbered(0))
            bus.post(Numbered(1), metadata: ["secret": "x"])
            bus.post(Numbered(2))
        }
        expect(recorded.reports.last?.source.line, equals: line)
        expect(recorded.reports.last?.metadata, equals: [:])
    }

    @Test("every end is counted on its own, and the law holds at rest")
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
    }

    @Test("the law holds under contention, and drops are counted exactly")
    func lawUnderContention() async {
        let recorded = await withRecordedErrors(configuration: .init(capacity: 16)) { bus in
            await withTaskGroup { group in
                for poster in 0..<8 {
                    group.addTask { @concurrent in
                        for number in 0..<1_000 { bus.post(Numbered(poster * 1_000 + number)) }
                    }
                }
            }
        }
        let delivered = recorded.matches(of: .type(Numbered.self)).count
        let announced = recorded.matches(of: .type(ErrorsDropped.self)).map(\.count).reduce(0, +)
        expect(delivered + announced, equals: 8_000)
        expect(announced, equals: recorded.statistics.dropped)
        #expect(recorded.statistics.isBalanced && recorded.statistics.pending == 0)
    }

    @Test("a bus without a limit to its capacity posts, counts, and closes when its tasks have ended")
    func largestCapacity() async {
        let bus = await withErrorBus(handler: ErrorHandler(), configuration: .init(capacity: .max)) { bus in
            for number in 0..<10 { bus.post(Numbered(number)) }
            #expect(bus.statistics.isBalanced)
            return bus
        }
        expect(bus.statistics, equals: .init(posted: 10, unmatched: 10))
    }

    private func dropped(_ count: Int) -> ErrorsDropped {
        ErrorsDropped(count: count, byType: ["ErrorRoutingTests.Numbered": count])
    }

    @Test func `each end has its own count, in the order of the law, and together they are what was posted`() {
        let statistics = ErrorBus.Statistics(
            posted: 21, handled: 1, ignored: 2, unmatched: 3, suppressed: 4, dropped: 5, pending: 6)
        expect(statistics.counts.map(\.key), equals: HandleOutcome.Disposition.allCases)
        expect(statistics.counts.map(\.value), equals: [1, 2, 3, 4, 5, 6])
        #expect(statistics.counts.reduce(0) { $0 + $1.value } == statistics.posted && statistics.isBalanced)
    }

    /// Posts while nothing is delivered yet, then delivers.
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
