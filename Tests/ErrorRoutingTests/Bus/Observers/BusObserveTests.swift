import Dispatch
import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 19: observe receives every report with its outcome, in order", .tags(.promise19), .hangLimit)
struct BusObserveTests {}

extension BusObserveTests {
    private final class Witness: Sendable {}

    /// The reports that an observer has received, and how often it was notified of the end.
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

    @Test("observe includes the report in delivery if the report still counts as pending when observe returns")
    func justBeforeTheEnd() async {
        let (receiver, observation) = (Receiver(), Locked<ErrorObservation?>(nil))
        let handler = ErrorHandler().on(Numbered.self) { _ in
            observation.withLock { $0 = ErrorBus.current.map(receiver.observe) }
            return .stop
        }
        await withErrorBus(handler: handler) { $0.post(Numbered(1)) }
        expect(receiver.numbers, equals: [1])
        observation.withLock { $0?.cancel() }
    }

    @Test("later reports are received with outcome and sequence number; the end is notified once, after the last one")
    func everything() async {
        let receiver = Receiver()
        let handler = ErrorHandler()
            .on(Numbered.self) { error in
                if error.number % 3 == 0 { await Task.yield() }
                return .stop
            }
            .ignore(Numbered(5))
        // While all tests run at the same time, a task that yields might take longer than the default limit to resume.
        await withErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil)) { bus in
            let observation = receiver.observe(bus)
            for number in 1...9 { bus.post(Numbered(number)) }
            bus.post(Zoo.Offline())
            #expect(await bus.flush(within: .seconds(600)))
            expect(receiver.numbers, equals: Array(1...9))
            #expect(receiver.ends.entries.isEmpty)
            // A released observation has ended, so it doesn't receive later reports.
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

    @Test("the end is notified once with the final counts: after the last report, a cancellation, or the bus's end")
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
        // An observation that begins too late ends immediately, with the same statistics.
        let late = Receiver()
        _ = late.observe(bus)
        expect(late.ends.entries, equals: receiver.ends.entries)
        #expect(late.reports.entries.isEmpty)
        expect(receiver.ends.entries.count, equals: 1)

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

        // Here, the observation ends when the bus ends.
        let last = Receiver()
        let lasting = Locked<ErrorObservation?>(nil)
        let lastResort = LastResort { _ in lasting.withLock { $0.take() }?.cancel() }
        do {
            let bus = ErrorBus(handler: ErrorHandler(), configuration: .init(lastResort: lastResort))
            lasting.withLock { $0 = last.observe(bus) }
            bus.post(Numbered(1))
        }
        expect(last.ends.entries.map(\.posted), equals: [1])
        expect(last.ends.entries.map(\.dropped), equals: [1])
    }

    @Test("an observer's posts are delivered later, and it can add and cancel observers")
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

    @Test("a scope's observer receives reports of the scope and of scopes below; without a bus it ends immediately")
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
            // This is another scope with the same name.
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

    @Test("a reader of infrequent reports is woken although the bus is never idle")
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
            // Let the reader wait first: a reader that comes later wouldn't need to be woken, and the test would pass
            // without a check. Only the stream's buffer knows that a reader waits, and doesn't tell.
            for _ in 0..<100 { await Task.yield() }
            bus.post(Zoo.Offline())
            #expect(await found.value != nil)
            isOver.withLock { $0 = true }
        }
    }

    @Test("after a cancellation at any time, from many threads, the end is notified once and no report follows")
    func races() async {
        for round in 0..<200 {
            let quiet = ErrorBus.Configuration(lastResort: LastResort { _ in })
            let (order, bus) = (Journal<Bool>(), ErrorBus(handler: ErrorHandler(), configuration: quiet))
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
            // The end is the only entry that is false, and it is the last one.
            expect(order.entries.firstIndex(of: false), equals: order.entries.count - 1)
        }
    }

    @Test("observeUntilEnd receives every report up to the bus's end, notified once even if the bus never ran")
    func untilEnd() async {
        let (numbers, ends) = (Journal<Int>(), Journal<Int>())
        await withErrorBus(handler: ErrorHandler().on(Numbered.self) { _ in .stop }) { bus in
            // The closure can capture the bus itself, because the bus's end releases the closure.
            bus.observeUntilEnd { report in
                #expect(bus.statistics.posted > 0)
                if let error = report.error as? Numbered { numbers.note(error.number) }
            } onEnd: {
                ends.note($0.handled)
            }
            for number in 1...100 { bus.post(Numbered(number)) }
        }
        expect(numbers.entries, equals: Array(1...100))
        expect(ends.entries, equals: [100])

        let others = Journal<String>()
        var idle: ErrorBus? = ErrorBus(handler: ErrorHandler())
        idle?.observeUntilEnd({ _ in }, onEnd: { _ in others.note("let go") })
        #expect(others.entries.isEmpty)
        idle = nil
        let ended = ErrorBus(handler: ErrorHandler())
        ended.finish()
        await ended.run()
        ended.observeUntilEnd({ _ in }, onEnd: { _ in others.note("ended") })
        expect(others.entries, equals: ["let go", "ended"])
    }

    @Test("objects that an observation's closures retain are released at the end, even the bus and the observation")
    func released() async {
        weak var bus: ErrorBus?
        weak var witness: Witness?
        await withErrorBus(handler: ErrorHandler()) { running in
            let held = Witness()
            (bus, witness) = (running, held)
            running.observeUntilEnd { [running] _ in withExtendedLifetime((held, running)) {} }
            running.post(Numbered(1))
        }
        expectNil(witness)
        // The tasks that ran the bus might still be ending.
        await eventually("the tasks that ran the bus have released it") { bus == nil }
        expectNil(bus)

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

    private final class Listener: Sendable {
        let received = Atomic(0)
        let woken = Atomic(0)
        let ends = Atomic(0)

        var observer: ReportObserver {
            ReportObserver { _ in
                self.received.add(1, ordering: .relaxed)
            } onEnd: { _ in
                self.ends.add(1, ordering: .relaxed)
            } wakeReader: {
                self.woken.add(1, ordering: .relaxed)
            }
        }
    }

    @Test("readers are woken once per sixty-four reports, and when the worker becomes idle after additional reports")
    func wakingReaders() {
        let (listener, wokenBefore) = (Listener(), Journal<Int>())
        let handler = ErrorHandler().on(Numbered.self) { _ in
            wokenBefore.note(listener.woken.load(ordering: .relaxed))
            return .stop
        }
        let bus = ErrorBus(handler: handler)
        let observation = ErrorObservation(listener.observer, of: bus)
        for number in 1...130 { bus.post(Numbered(number)) }
        expect(bus.storage.apply { $0.run() }, equals: true)
        var untilYield = DeliveryWorker.turn
        let suspension = DeliveryWorker(bus: bus).carryOut(bus.storage.apply { $0.next() }, &untilYield)
        guard case .sleep = suspension else {
            Issue.record("the worker isn't idle")
            return
        }
        // The first wake-up is for reports that a former worker might have delivered.
        expect(wokenBefore.entries, equals: (0..<130).map { 1 + $0 / 64 })
        expect(listener.received.load(ordering: .relaxed), equals: 130)
        expect(listener.woken.load(ordering: .relaxed), equals: 4)
        expect(untilYield, equals: DeliveryWorker.turn - 130)
        withExtendedLifetime(observation) {}
    }

    @Test("an observer that blocks shows as a growing delivery time, until it returns")
    func blockedObserver() async {
        let (entered, leave) = (Gate(), DispatchSemaphore(value: 0))
        await withErrorBus(handler: ErrorHandler()) { bus in
            let observation = bus.observe { _ in
                entered.open()
                leave.wait()
            }
            bus.post(Numbered(1))
            await entered.wait()
            let (first, second) = (bus.statistics.deliveryTime, bus.statistics.deliveryTime)
            #expect(first ?? .zero <= second ?? .zero && first != nil)
            // The report is counted, so only the observer is still taking time.
            expect(bus.statistics.unmatched, equals: 1)
            leave.signal()
            _ = await bus.flush(within: .seconds(60))
            expectNil(bus.statistics.deliveryTime)
            observation.cancel()
        }
    }

    @Test("observers that have ended are no longer listed, and a later observer is finished immediately")
    func endedObservers() {
        let (bus, early, late) = (ErrorBus(handler: ErrorHandler()), Listener(), Listener())
        let first = ErrorObservation(early.observer, of: bus)
        expect(bus.storage.apply { $0.observers.count }, equals: 1)
        bus.finish()
        let second = ErrorObservation(late.observer, of: bus)
        #expect(bus.storage.apply { $0.observers.isEmpty })
        expect([early, late].map { $0.ends.load(ordering: .relaxed) }, equals: [1, 1])
        withExtendedLifetime((first, second)) {}
    }
}
