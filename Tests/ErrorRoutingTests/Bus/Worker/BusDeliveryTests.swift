import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Behaviour 12: delivery is serial, in a task of the bus's own", .tags(.behaviour12), .hangLimit)
struct BusDeliveryTests {}

extension BusDeliveryTests {
    @Test("delivery is serial: no two actions run at once, though they suspend")
    func serial() async {
        let inside = Locked(0)
        let overlaps = Locked(0)
        let handler = ErrorHandler().on(Numbered.self) { _ in
            if inside.withLock({
                $0 += 1; return $0
            }) > 1 {
                overlaps.withLock { $0 += 1 }
            }
            for _ in 0..<3 { await Task.yield() }
            inside.withLock { $0 -= 1 }
            return .stop
        }
        // Without a limit: where the machine is slow, an action that is abandoned goes on beside the next one.
        await withErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil)) { bus in
            await withTaskGroup { group in
                for number in 0..<200 { group.addTask { @concurrent in bus.post(Numbered(number)) } }
            }
        }
        expect(overlaps.withLock { $0 }, equals: 0)
    }

    @Test("actions run on neither the actor nor the cancellation of run's caller")
    @MainActor func actionsAreTheBusesOwn() async {
        let journal = Journal<Bool>()
        let (entered, gate) = (Gate(), Gate())
        let handler = ErrorHandler()
            .on(Numbered(1)) { _ in
                entered.open()
                await gate.wait()
                journal.note(Task.isCancelled)
                return .stop
            }
            .on(Numbered(2)) { _ in
                journal.note(isOnMainThread())
                return .stop
            }
        let bus = ErrorBus(handler: handler)
        bus.post(Numbered(1))
        bus.post(Numbered(2))
        let root = Task { @MainActor in await bus.run() }
        await entered.wait()
        root.cancel()
        gate.open()
        await root.value
        expect(journal.entries, equals: [false, false])
        expect(bus.statistics.handled, equals: 2)
    }

    @Test("inside an action the current bus is the one that delivers")
    func currentInsideActions() async {
        let journal = Journal<ObjectIdentifier?>()
        let handler = ErrorHandler()
            .on(Numbered(1)) { _ in
                journal.note(ErrorBus.current.map(ObjectIdentifier.init))
                return .stop
            }
            .on(Numbered(2)) { _ in
                await Task.yield()
                journal.note(ErrorBus.current.map(ObjectIdentifier.init))
                return .stop
            }
        let bus = ErrorBus(handler: handler)
        bus.post(Numbered(1))
        bus.post(Numbered(2))
        bus.finish()
        expectNil(ErrorBus.current)
        await bus.run()
        expect(journal.entries, equals: [ObjectIdentifier(bus), ObjectIdentifier(bus)])
    }

    @Test("an action's post is delivered later, after what is pending")
    func postingFromActions() async {
        let journal = Journal<Int>()
        let handler = ErrorHandler().on(Numbered.self) { error in
            if error.number == 1 { postError(Numbered(3)) }
            journal.note(error.number)
            return .stop
        }
        let bus = ErrorBus(handler: handler)
        bus.post(Numbered(1))
        bus.post(Numbered(2))
        let run = Task { await bus.run() }
        // Posted from inside, it goes behind the two that were pending.
        while journal.entries.count < 3 { await Task.yield() }
        bus.finish()
        await run.value
        expect(journal.entries, equals: [1, 2, 3])
    }

    @Test("deliver inside an action returns .pending at once, and the error is delivered later")
    func deliverInsideActions() async {
        let journal = Journal<HandleOutcome.Disposition>()
        let handler = ErrorHandler()
            .on(Numbered(1)) { _ in
                journal.note(await AmbientErrorPosting().deliver(Numbered(2)).disposition)
                return .stop
            }
            .on(Numbered(2)) { _ in
                journal.note(.handled)
                return .stop
            }
        await withErrorBus(handler: handler) { bus in
            await bus.deliver(Numbered(1))
        }
        expect(journal.entries, equals: [.pending, .handled])
    }

    @Test("an action of a bus inside a bus's action may not wait for the outer one either")
    func deliverThroughNestedBuses() async {
        let journal = Journal<HandleOutcome.Disposition>()
        let handler = ErrorHandler().on(Numbered(1)) { _ in
            guard let outer = ErrorBus.current else { return .stop }
            let inner = ErrorHandler().on(Numbered.self) { _ in
                journal.note(await outer.deliver(Numbered(3)).disposition)
                return .stop
            }
            await withErrorBus(handler: inner) { bus in bus.post(Numbered(2)) }
            return .stop
        }
        await withErrorBus(handler: handler) { bus in
            await bus.deliver(Numbered(1))
        }
        expect(journal.entries, equals: [.pending])
    }

    @Test("an action may finish the bus; what is pending is still delivered")
    func finishInsideActions() async {
        let journal = Journal<Int>()
        let handler = ErrorHandler.noting(journal).on(Numbered(1)) { _ in
            ErrorBus.current?.finish()
            return .next
        }
        let bus = ErrorBus(handler: handler)
        bus.post(Numbered(1))
        bus.post(Numbered(2))
        await bus.run()
        expect(journal.entries, equals: [1, 2])
    }

    @Test("shutdown inside an action does not wait for itself, and leaves the pending their time")
    func shutdownInsideActions() async {
        let journal = Journal<Int>()
        let handler = ErrorHandler.noting(journal).on(Numbered(1)) { _ in
            guard let bus = ErrorBus.current else { return .next }
            #expect(await bus.shutdown(within: .seconds(3_600)).isEmpty)
            return .next
        }
        let clock = ManualClock()
        let bus = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil, clock: clock))
        bus.post(Numbered(1))
        bus.post(Numbered(2))
        await bus.run()
        expect(journal.entries, equals: [1, 2])
    }

    @Test("what a shutdown inside an action cuts off is counted as dropped")
    func shutdownInsideActionsAtItsDeadline() async {
        let gate = Gate()
        let handler = ErrorHandler().on(Numbered.self) { _ in
            _ = await ErrorBus.current?.shutdown(within: .seconds(5))
            await gate.wait()
            return .stop
        }
        let clock = ManualClock()
        let bus = ErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil, clock: clock))
        bus.post(Numbered(1))
        bus.post(Numbered(2))
        async let running: Void = bus.run()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await running
        #expect(bus.statistics.dropped == 2 && bus.statistics.pending == 0 && bus.statistics.isBalanced)
        gate.open()
    }
}

/// Asked without an await, so that it tells where its caller runs.
private func isOnMainThread() -> Bool { Thread.isMainThread }
