import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promises 12, 16, and 20: deliver returns the outcome of its error, whatever happens to the error",
    .tags(.promise12, .promise16, .promise20), .hangLimit)
struct DeliverTests {
    private static let rules = ErrorHandler()
        .on(Mishap(1)) { _ in .stop }
        .ignore(Mishap(2))
        .on(Mishap(3)) { _ in throw Stray() }
}

extension DeliverTests {
    @Test("a rule, an ignore rule, no rule, a failure, and an attempt have their outcomes; observers come first")
    func outcomes() async {
        let stage = Stage(Self.rules)
        await stage.running {
            for (number, disposition) in [
                (1, HandleOutcome.Disposition.handled), (2, .ignored), (3, .handled), (4, .unmatched),
            ] {
                let outcome = await stage.bus.deliver(Mishap(number))
                expect(outcome.matchedRuleCount, equals: number < 4 ? 1 : 0)
                // A rule whose action throws has matched.
                expect(outcome.disposition, equals: disposition)
                expect(outcome.failures.count, equals: number == 3 ? 1 : 0)
                expect(stage.seen.entries.last { $0.error is Mishap }?.outcome, equals: outcome)
            }
            expect(await stage.bus.deliver(Mishap(1), as: .attempt).disposition, equals: .ignored)
            let scope = stage.bus.scope("a", handler: ErrorHandler().on(Mishap(4)) { _ in .stop })
            expect(await scope.deliver(Mishap(4)).disposition, equals: .handled)
        }
        stage.expectLaws()
    }

    @Test("a full bus, a finished bus, and a bus that is shut down return .dropped")
    @MainActor func dropped() async {
        let stage = Stage(Self.rules, capacity: 1)
        // On this actor, a post is complete as soon as it is counted. A shutdown would refuse an incomplete post.
        let waiting = Task { @MainActor in await stage.bus.deliver(Mishap(1)) }
        await eventually("the waiting caller has posted its error") { stage.bus.counts.posted > 0 }
        expect(await stage.bus.deliver(Mishap(1)).disposition, equals: .dropped)
        expect(await stage.bus.shutdown(within: .zero).labels.first, equals: "1")
        expect(await waiting.value.disposition, equals: .dropped)
        expect(await stage.bus.deliver(Mishap(1)).disposition, equals: .dropped)
        stage.expectLaws()
    }

    @Test("inside an action of the bus, deliver returns .pending immediately, and the error is delivered later")
    func insideAnAction() async {
        let outcomes = Log<HandleOutcome.Disposition>()
        let stage = Stage(
            Self.rules.on(Mishap(10)) { _ in
                guard let bus = ErrorBus.current else { return .stop }
                await outcomes.add(bus.deliver(Mishap(1)).disposition)
                await outcomes.add(bus.scope("a").deliver(Mishap(2)).disposition)
                bus.finish()
                await outcomes.add(bus.deliver(Mishap(1)).disposition)
                return .stop
            })
        stage.bus.post(Mishap(10))
        await stage.bus.run()
        expect(outcomes.entries, equals: [.pending, .pending, .dropped])
        expect(stage.seen.entries.map(\.outcome.disposition), equals: [.handled, .handled, .ignored])
        stage.expectLaws()
    }

    @Test("a cancelled caller receives .pending, and its error is still delivered")
    func cancelledCaller() async {
        let (entered, leave) = (Gate(), Gate())
        let stage = Stage(
            ErrorHandler().on(Mishap.self) { _ in
                entered.open()
                await leave.wait()
                return .stop
            })
        await stage.running {
            let caller = Task { await stage.bus.deliver(Mishap(1)).disposition }
            await entered.wait()
            caller.cancel()
            expect(await caller.value, equals: .pending)
            leave.open()
        }
        expect(stage.bus.counts, equals: Counts(posted: 1, handled: 1))
    }

    @Test("an error that a flood limit holds back returns .pending, and later the merged report is delivered")
    func held() async {
        let stage = Stage(Self.rules, floodLimit: FloodLimit(first: 1, per: .seconds(10)))
        await stage.running {
            var outcomes: [HandleOutcome.Disposition] = []
            for _ in 1...3 { await outcomes.append(stage.bus.deliver(Mishap(1)).disposition) }
            expect(outcomes, equals: [.handled, .pending, .pending])
        }
        expect(stage.seen.entries.labels, equals: ["1", "1 ×2"])
        stage.expectLaws()
    }
}
