import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 19: each stream has every report or counts the missed ones, and leaves nothing behind",
    .tags(.promise19), .hangLimit)
struct BusObserverLossTests {}

extension BusObserverLossTests {
    /// An error that a weak reference can watch.
    private final class Heavy: Error {}

    @Test("every observer receives every delivered report with its outcome")
    func everyObserver() async {
        let bus = ErrorBus(handler: ErrorHandler().ignore(Numbered(1)))
        let streams = (0..<3).map { _ in bus.reports() }
        for number in 0..<10 { bus.post(Numbered(number)) }
        bus.finish()
        await bus.run()
        for stream in streams {
            let reports = await stream.collected()
            expect(reports.map(\.error) as? [Numbered], equals: (0..<10).map(Numbered.init))
            expect(reports.map(\.outcome.disposition), equals: (0..<10).map { $0 == 1 ? .ignored : .unmatched })
        }
    }

    @Test("a stream has each report since it was opened, before deliver returns; after the end it is empty")
    func opened() async {
        let bus = await withErrorBus(handler: ErrorHandler()) { bus in
            await bus.deliver(Numbered(1))
            let late = bus.reports()
            var iterator = late.makeAsyncIterator()
            await bus.deliver(Numbered(2))
            expect(await iterator.next()?.sequence, equals: 2)
            await bus.deliver(Numbered(3))
            bus.finish()
            expect(await late.collected().map(\.error) as? [Numbered], equals: [Numbered(3)])
            return bus
        }
        #expect(await bus.reports().collected().isEmpty)
    }

    @Test(
        "a report counts exactly the reports that its observer missed just before; each observer has its own count")
    func missed() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            var reports = bus.reports(bufferingNewest: 2).makeAsyncIterator()
            for number in 1...5 { await bus.deliver(Numbered(number)) }
            expect(await reports.next().map(Row.init), equals: Row(4, missed: 3))
            for number in 6...8 { await bus.deliver(Numbered(number)) }
            expect(await reports.next().map(Row.init), equals: Row(7, missed: 2))
            expect(await reports.next().map(Row.init), equals: Row(8, missed: 0))
            await bus.deliver(Numbered(9))
            expect(await reports.next().map(Row.init), equals: Row(9, missed: 0))
        }

        let journal = Journal<Int>()
        let handler = ErrorHandler().always { _, report in
            journal.note(report.missed)
            return .next
        }
        let bus = ErrorBus(handler: handler)
        let limits = [1, 3, 10, 100]
        let streams = limits.map { bus.reports(bufferingNewest: $0) }
        for number in 1...10 { bus.post(Numbered(number)) }
        bus.finish()
        await bus.run()
        for (limit, stream) in zip(limits, streams) {
            let reports = await stream.collected()
            expect(reports.count, equals: min(limit, 10))
            expect(reports.first?.missed, equals: 10 - reports.count)
            #expect(reports.dropFirst().allSatisfy { $0.missed == 0 })
        }
        #expect(journal.entries.allSatisfy { $0 == 0 })
    }

    @Test("a selecting observer receives its matcher's output, and only that output takes space in its buffer")
    func matching() async {
        let bus = ErrorBus(handler: ErrorHandler().ignore(Zoo.Payment.self))
        let codes = bus.reports(
            matching: .extracting(Zoo.Payment.self) { if case .declined(let code) = $0 { code } else { nil } },
            bufferingNewest: 3
        )
        let every = bus.reports(matching: .any, bufferingNewest: 3)
        for number in 1...5 {
            bus.post(Zoo.Payment.declined(code: number))
            bus.post(Zoo.Payment.expired)
            for _ in 0..<10 { bus.post(Numbered(number)) }
        }
        bus.finish()
        await bus.run()
        let found = await codes.collected()
        expect(found.map(\.output), equals: [3, 4, 5])
        expect(found.map(\.report.missed), equals: [2, 0, 0])
        expect(found.map(\.report.sequence), equals: [25, 37, 49])
        #expect(found.allSatisfy { $0.report.outcome.disposition == .ignored })
        expect(await every.collected().map(\.report.missed), equals: [57, 0, 0])
    }

    @Test("observers are added and removed during delivery, and each receives an uninterrupted sequence")
    func comingAndGoing() async {
        await withErrorBus(handler: ErrorHandler()) { bus in
            let done = Gate()
            async let posting: Void = { @concurrent in
                while !done.isOpen { await bus.deliver(Numbered(0)) }
            }()
            await withTaskGroup { group in
                for observer in 0..<4 {
                    group.addTask { @concurrent in
                        for round in 1...50 {
                            var sequences: [UInt64] = []
                            for await report in bus.reports(bufferingNewest: .max) {
                                sequences.append(report.sequence)
                                if sequences.count == 1 + (observer + round) % 5 { break }
                            }
                            let first = sequences.first ?? 0
                            expect(sequences, equals: (0..<UInt64(sequences.count)).map { first + $0 })
                        }
                    }
                }
            }
            done.open()
            await posting
        }
    }

    @Test(
        "a stream that is released unread or cancelled stops observing and releases everything; others continue")
    func released() async {
        let journal = Journal<Int>()
        await withErrorBus(handler: ErrorHandler()) { bus in
            var stream: AsyncStream<(output: any Error, report: ErrorReport)>? = bus.reports(
                matching: .predicate { _ in
                    journal.note(1)
                    return true
                }
            )
            let watched = await deliverHeavy(to: bus)
            await bus.deliver(Numbered(1))
            #expect(watched.error != nil)
            expect(journal.entries.count, equals: 3)
            withExtendedLifetime(stream) {}
            stream = nil
            await eventually("the released stream's error is deallocated") { watched.error == nil }
            await bus.deliver(Numbered(2))
            expect(journal.entries.count, equals: 3)
        }

        await withErrorBus(handler: ErrorHandler()) { bus in
            let read = Journal<UInt64>()
            var others = bus.reports(bufferingNewest: 1).makeAsyncIterator()
            let reading = Task {
                for await report in bus.reports() { read.note(report.sequence) }
            }
            while read.entries.isEmpty { await bus.deliver(Numbered(1)) }
            reading.cancel()
            await reading.value
            let count = read.entries.count
            let watched = await deliverHeavy(to: bus)
            await eventually("the cancelled reader's error is deallocated") { watched.error == nil }
            expect(read.entries.count, equals: count)
            expect(await others.next()?.missed, equals: bus.statistics.posted - 1)
        }
    }

    @Test("a stream's remaining reports can be read after the bus is deallocated, and are then no longer retained")
    func outlivingTheBus() async {
        var bus: ErrorBus? = ErrorBus(handler: ErrorHandler())
        let watchedBus = Weak(bus)
        var stream = bus?.reports(bufferingNewest: 2)
        let watched = (0..<3).map { _ in Watched() }
        for one in watched { one.post(to: bus) }
        bus?.finish()
        await bus?.run()
        bus = nil
        await eventually("the bus is deallocated") { watchedBus.object == nil }
        await eventually("the error that the stream lost is deallocated") { watched[0].error == nil }
        #expect(watched[1].error != nil && watched[2].error != nil)
        expect(await stream?.collected().map(\.missed), equals: [1, 0])
        stream = nil
        #expect(watched.allSatisfy { $0.error == nil })
    }

    // MARK: Support

    private struct Row: Equatable {
        let number: Int?
        let missed: Int

        init(_ number: Int, missed: Int) { (self.number, self.missed) = (number, missed) }
        init(_ report: ErrorReport) { (number, missed) = ((report.error as? Numbered)?.number, report.missed) }
    }

    /// A weak reference to one error.
    private final class Watched {
        private(set) weak var error: Heavy?

        func post(to bus: ErrorBus?) {
            let error = Heavy()
            self.error = error
            bus?.post(error)
        }
    }

    private func deliverHeavy(to bus: ErrorBus) async -> Watched {
        let watched = Watched()
        watched.post(to: bus)
        await bus.deliver(Numbered(0))
        return watched
    }
}
