import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviour 19: observe gets every report with its outcome, in order, none missed", .tags(.behaviour19), .hangLimit)
struct BusObserveTests {}

extension BusObserveTests {
    /// What an observer has received, and how often its end was told.
    private final class Receiver: Sendable {
        let reports = Journal<ErrorReport>()
        let ends = Journal<ErrorBus.Statistics>()

        func observe(_ bus: ErrorBus) -> ErrorObservation {
            bus.observe({ self.reports.note($0) }, onEnd: { self.ends.note($0) })
        }

        func observe(_ scope: ErrorScope) -> ErrorObservation {
            scope.observe({ self.reports.note($0) }, onEnd: { self.ends.note($0) })
        }

        var numbers: [Int] { reports.entries.compactMap { ($0.error as? Numbered)?.number } }
    }

    @Test("from the moment it returns, with outcomes and sequence numbers, and the end is told once, after the last")
    func everything() async {
        let receiver = Receiver()
        let handler = ErrorHandler()
            .on(Numbered.self) { error in
                if error.number % 3 == 0 { await Task.yield() }
                return .stop
            }
            .ignore(Numbered(5))
        await withErrorBus(handler: handler) { bus in
            let observation = receiver.observe(bus)
            for number in 1...9 { bus.post(Numbered(number)) }
            bus.post(Zoo.Offline())
            #expect(await bus.flush(within: .seconds(600)))
            #expect(receiver.numbers == Array(1...9) && receiver.ends.entries.isEmpty)
            // An observation that is released has ended: nothing comes after that.
            withExtendedLifetime(observation) {}
        }
        expect(receiver.reports.entries.map(\.sequence), equals: Array(1...10))
        expect(
            receiver.reports.entries.map(\.outcome.disposition),
            equals: [
                .handled, .handled, .handled, .handled, .ignored, .handled, .handled, .handled, .handled, .unmatched,
            ])
        expect(receiver.ends.entries.count, equals: 1)
    }

    @Test("the end has the final figures, when the bus has drained")
    func end() async {
        let receiver = Receiver()
        let bus = ErrorBus(handler: ErrorHandler())
        let observation = receiver.observe(bus)
        for number in 1...3 { bus.post(Numbered(number)) }
        bus.finish()
        await bus.run()
        expect(receiver.ends.entries.map(\.unmatched), equals: [3])
        expect(receiver.ends.entries.first?.pending, equals: 0)
        observation.cancel()
        observation.cancel()
        // An observation that comes too late ends at once, with the same figures.
        let late = Receiver()
        _ = late.observe(bus)
        #expect(late.ends.entries == receiver.ends.entries && late.reports.entries.isEmpty)
        expect(receiver.ends.entries.count, equals: 1)
    }

    @Test("the end is told when a bus is deallocated, and after the report in which an observation is cancelled")
    func otherEnds() async {
        let receiver = Receiver()
        var bus: ErrorBus? = ErrorBus(handler: ErrorHandler())
        let observation = bus.map { receiver.observe($0) }
        bus = nil
        expect(receiver.ends.entries.count, equals: 1)
        withExtendedLifetime(observation) {}

        let order = Journal<String>()
        let own = Locked<ErrorObservation?>(nil)
        await withErrorBus(handler: ErrorHandler()) { bus in
            let observation = bus.observe { report in
                order.note("report \(report.sequence)")
                own.withLock { $0 }?.cancel()
                order.note("cancelled")
            } onEnd: { _ in
                order.note("end")
            }
            own.withLock { $0 = observation }
            for number in 1...3 { await bus.deliver(Numbered(number)) }
        }
        expect(order.entries, equals: ["report 1", "cancelled", "end"])
    }

    @Test("an observation that has ended releases its closures, also where they retain the observation")
    func closures() async {
        final class Component: Sendable {
            let observation = Locked<ErrorObservation?>(nil)
            func note(_ report: ErrorReport) {}
        }
        let reference = await withErrorBus(handler: ErrorHandler()) { bus in
            let component = Component()
            let observation = bus.observe {
                component.note($0)
            } onEnd: { _ in
                component.observation.withLock { _ in }
            }
            component.observation.withLock { $0 = observation }
            bus.post(Numbered(1))
            return Weak(component)
        }
        expectNil(reference.object)
    }

    @Test("what an observer posts is delivered later, and observers may be added and cancelled within")
    func reentry() async {
        let receiver = Receiver()
        let more = Locked<[ErrorObservation]>([])
        await withErrorBus(handler: ErrorHandler()) { bus in
            let observation = bus.observe { report in
                guard let error = report.error as? Numbered, error.number < 10 else { return }
                bus.post(Numbered(error.number + 10))
                let added = receiver.observe(bus)
                more.withLock { $0.append(added) }
            }
            for number in 1...3 { bus.post(Numbered(number)) }
            #expect(await bus.flush(within: .seconds(600)))
            #expect(await bus.flush(within: .seconds(600)))
            observation.cancel()
        }
        #expect(Set(receiver.numbers).isSuperset(of: [11, 12, 13]))
        expect(receiver.ends.entries.count, equals: 3)
    }

    @Test("a scope's observer gets the reports of the scope and those below, with its actions' failures")
    func scopes() async {
        let (outer, inner, all) = (Receiver(), Receiver(), Receiver())
        await withErrorBus(handler: ErrorHandler()) { bus in
            let failing = ErrorHandler().on(Numbered(5)) { error in throw error }
            let scope = bus.scope("outer", handler: failing)
            let below = scope.scope("inner")
            let observations = [outer.observe(scope), inner.observe(below), all.observe(bus)]
            var streams = [bus.scope("outer").reports(), below.reports()]
            let elements = scope.reports(matching: .value(Numbered(5)))
            bus.post(Numbered(1))
            scope.post(Numbered(2))
            below.post(Numbered(3))
            // Another scope of the same name.
            bus.scope("outer").post(Numbered(4))
            scope.post(Numbered(5))
            below.bound { postError(Numbered(6)) }
            #expect(await bus.flush(within: .seconds(600)))
            expect(await streams.removeLast().first { _ in true }?.source.line, equals: #line - 6)
            expect(await elements.first { _ in true }?.output.number, equals: 5)
            withExtendedLifetime((observations, streams)) {}
        }
        expect(all.numbers, equals: [1, 2, 3, 4, 5, 6])
        expect(outer.numbers, equals: [2, 3, 5, 6])
        #expect(outer.reports.entries.contains { $0.error is ActionFailure })
        expect(inner.numbers, equals: [3, 6])
        #expect([outer, inner, all].allSatisfy { $0.ends.entries.count == 1 })
    }

    @Test("a scope that was made without a bus is observed where it is posted; where there is no bus it ends at once")
    func scopesWithoutBus() async {
        let (none, some) = (Receiver(), Receiver())
        await withErrorScope("lonely") { scope in
            let observation = none.observe(scope)
            expect(none.ends.entries.count, equals: 1)
            expectNil(await scope.reports().first { _ in true })
            await withErrorBus(handler: ErrorHandler()) { bus in
                let observation = some.observe(scope)
                scope.post(Numbered(1))
                scope.scope("below").post(Numbered(2))
                bus.post(Numbered(3))
                #expect(await bus.flush(within: .seconds(600)))
                withExtendedLifetime(observation) {}
            }
            withExtendedLifetime(observation) {}
        }
        expect(some.numbers, equals: [1, 2])
        #expect(none.reports.entries.isEmpty)
    }

    @Test("a reader of rare reports is woken although the bus is never at rest")
    func rareReports() async {
        let isOver = Locked(false)
        let storm = ErrorHandler().on(Numbered.self) { error in
            if !isOver.withLock({ $0 }) { ErrorBus.current?.post(error) }
            return .stop
        }
        await withErrorBus(handler: storm) { bus in
            let reports = bus.reports(matching: .type(Zoo.Offline.self))
            let found = Task { await reports.first { _ in true } }
            bus.post(Numbered(1))
            for _ in 0..<100 { await Task.yield() }
            bus.post(Zoo.Offline())
            #expect(await found.value != nil)
            isOver.withLock { $0 = true }
        }
    }

    @Test("an observation that ends in the bus's own end has the figures")
    func figuresOfADiscardedBus() {
        let receiver = Receiver()
        let own = Locked<ErrorObservation?>(nil)
        let lastResort = LastResort { _ in own.withLock { $0.take() }?.cancel() }
        do {
            let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
            own.withLock { $0 = receiver.observe(bus) }
            bus.post(Numbered(1))
        }
        #expect(receiver.ends.entries.map(\.posted) == [1] && receiver.ends.entries.map(\.dropped) == [1])
    }

    @Test("cancelled at any moment, from many threads, no report comes after the end, and there is one end")
    func races() async {
        for round in 0..<200 {
            let (order, bus) = (Journal<Bool>(), ErrorBus(handler: ErrorHandler()))
            async let running: Void = bus.run()
            let observation = bus.observe({ _ in order.note(true) }, onEnd: { _ in order.note(false) })
            await onThreads(3) { thread in
                switch thread {
                case 0: for number in 0..<50 { bus.post(Numbered(number)) }
                case 1:
                    for _ in 0..<round % 20 { yieldToOtherThreads() }
                    observation.cancel()
                default: bus.finish()
                }
            }
            await running
            #expect(order.entries.filter { !$0 }.count == 1 && order.entries.last == false)
        }
    }
}
