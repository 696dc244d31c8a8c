import ErrorRouting
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@Suite("Promise 12: delivery is serial, in the bus's own task", .tags(.promise12), .hangLimit)
struct BusDeliveryTests {}

extension BusDeliveryTests {
    @Test("delivery is serial: no two actions run at the same time, even if they suspend")
    func serial() async {
        let inside = Locked(0)
        let overlaps = Locked(0)
        let handler = ErrorHandler().on(Numbered.self) { _ in
            if inside.withLock({
                $0 += 1; return $0
            }) > 1 {
                overlaps.withLock { $0 += 1 }
            }
            // Suspend in the middle, so that another action could run now.
            for _ in 0..<3 { await Task.yield() }
            inside.withLock { $0 -= 1 }
            return .stop
        }
        // Don't set a limit: on a slow machine an abandoned action would continue alongside the next one.
        await withErrorBus(handler: handler, configuration: .init(actionTimeLimit: nil)) { bus in
            await withTaskGroup { group in
                for number in 0..<200 { group.addTask { @concurrent in bus.post(Numbered(number)) } }
            }
        }
        expect(overlaps.withLock { $0 }, equals: 0)
    }

    @Test(
        "actions have neither the actor nor the cancellation of run's caller, and their current bus delivers them")
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

        let buses = Journal<ObjectIdentifier?>()
        let notingRules = ErrorHandler()
            .on(Numbered(1)) { _ in
                buses.note(ErrorBus.current.map(ObjectIdentifier.init))
                return .stop
            }
            .on(Numbered(2)) { _ in
                await Task.yield()
                buses.note(ErrorBus.current.map(ObjectIdentifier.init))
                return .stop
            }
        let noted = ErrorBus(handler: notingRules)
        noted.post(Numbered(1))
        noted.post(Numbered(2))
        noted.finish()
        expectNil(ErrorBus.current)
        await noted.run()
        expect(buses.entries, equals: [ObjectIdentifier(noted), ObjectIdentifier(noted)])
    }

    @Test("an error that an action posts is delivered later, after the pending errors")
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
        // An error that is posted from inside comes after the two pending errors.
        await eventually("the three errors are handled") { journal.entries.count >= 3 }
        bus.finish()
        await run.value
        expect(journal.entries, equals: [1, 2, 3])
    }

    @Test("deliver inside an action immediately returns .pending or .dropped, even in a scope or of an outer bus")
    func deliverInsideActions() async {
        let journal = Journal<HandleOutcome.Disposition>()
        let handler = ErrorHandler().on(Numbered(1)) { _ in
            guard let bus = ErrorBus.current else { return .stop }
            journal.note(await AmbientErrorPosting.ambient.deliver(Numbered(2)).disposition)
            journal.note(await bus.scope("inner").deliver(Numbered(3)).disposition)
            journal.note(await bus.deliver(Numbered(4)).disposition)
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler, configuration: .init(capacity: 2)) { bus in
            await bus.scope("outer").deliver(Numbered(1))
        }
        expect(journal.entries, equals: [.pending, .pending, .dropped])
        expect(recorded.reports.prefix(3).map(\.scope), equals: [["outer"], [], ["inner"]])

        let other = Journal<HandleOutcome.Disposition>()
        let nesting = ErrorHandler().on(Numbered(1)) { _ in
            guard let outer = ErrorBus.current else { return .stop }
            let inner = ErrorHandler().on(Numbered.self) { _ in
                other.note(await outer.deliver(Numbered(3)).disposition)
                return .stop
            }
            await withErrorBus(handler: inner) { bus in bus.post(Numbered(2)) }
            return .stop
        }
        await withErrorBus(handler: nesting) { bus in
            await bus.deliver(Numbered(1))
        }
        expect(other.entries, equals: [.pending])
    }

    @Test("an action can finish the bus, or shut it down without waiting for itself: pending reports keep their time")
    func endsInsideActions() async {
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

        let other = Journal<Int>()
        let shuttingDown = ErrorHandler.noting(other).on(Numbered(1)) { _ in
            guard let bus = ErrorBus.current else { return .next }
            #expect(await bus.shutdown(within: .seconds(3_600)).isEmpty)
            return .next
        }
        let clock = ManualClock()
        let last = ErrorBus(handler: shuttingDown, configuration: .init(actionTimeLimit: nil, clock: clock))
        last.post(Numbered(1))
        last.post(Numbered(2))
        await last.run()
        expect(other.entries, equals: [1, 2])
    }
}

/// Calling the function doesn't need `await`, so the function runs where its caller runs.
private func isOnMainThread() -> Bool { Thread.isMainThread }
