import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 18: an asynchronous action is abandoned at its time limit, and the bus continues",
    .tags(.promise18), .hangLimit)
struct TimeLimitTests {}

extension TimeLimitTests {
    @Test("it fails with the limit, its task is cancelled, the rules after it run, and the next reports are delivered")
    func abandoned() async throws {
        let hanging = Hanging()
        let stage = Stage(hanging.handler, actionTimeLimit: .seconds(30))
        await stage.running {
            stage.post(1...3)
            await hanging.entered.wait()
            await stage.clock.waitForSleepers()
            stage.clock.advance(by: .seconds(29))
            // The limit is still ahead. Nothing else can abandon the action.
            await stage.sleepersReach(1)
            expect(stage.bus.counts.pending, equals: 3)
            stage.clock.advance(by: .seconds(1))
            await hanging.cancelled.wait()
            await stage.seen.reaches(4)
        }
        expect(stage.seen.entries.labels, equals: ["1", "failure of 1", "2", "3"])
        let outcome = stage.seen.entries[0].outcome
        expect(outcome.disposition, equals: .handled)
        expect(outcome.matchedRuleCount, equals: 2)
        let failure = try #require(outcome.failures.first)
        expect(failure.error as? ActionTimeLimitExceeded, equals: ActionTimeLimitExceeded(limit: .seconds(30)))
        expect(hanging.later.entries, equals: [1, 2, 3])
        expect(stage.bus.counts, equals: Counts(posted: 4, handled: 3, unmatched: 1, failures: 1))
        stage.expectLaws()
        hanging.leave.open()
        await hanging.left.wait()
    }

    @Test("each action has the whole limit for itself, even several for one report; without a limit none is cut off")
    func eachByItself() async {
        for limit in [Duration.seconds(30), nil] {
            let gates = (0..<3).map { _ in (entered: Gate(), leave: Gate()) }
            var handler = ErrorHandler()
            // The last-registered rule is tried first.
            for (entered, leave) in gates.reversed() {
                handler = handler.on(Mishap.self) { _ in
                    entered.open()
                    await leave.wait()
                    return .next
                }
            }
            let stage = Stage(handler, actionTimeLimit: limit)
            await stage.running {
                stage.post(1...1)
                for (entered, leave) in gates {
                    await entered.wait()
                    stage.clock.advance(by: .seconds(20))
                    if limit != nil {
                        // If the timer of an earlier action's limit fires, it is set again for this action's limit.
                        await stage.sleepersReach(1)
                    } else {
                        // Let a wrong timer fire: without a limit no task sleeps, so there is nothing to wait for.
                        for _ in 0..<500 { await Task.yield() }
                    }
                    leave.open()
                }
            }
            expect(stage.bus.counts, equals: Counts(posted: 1, handled: 1))
            expect(stage.seen.entries.first?.outcome.matchedRuleCount, equals: 3)
        }
    }

    @Test("several abandoned actions for one report each fail, in order; the observers receive the report once")
    func several() async {
        let entered = Log<Int>()
        let leave = Gate()
        var handler = ErrorHandler()
        for number in [3, 2, 1] {
            handler = handler.on(Mishap.self) { _ in
                entered.add(number)
                await leave.wait()
                return .stop
            }
        }
        let stage = Stage(handler, actionTimeLimit: .seconds(30))
        await stage.running {
            stage.post(1...1)
            for number in 1...3 {
                await entered.reaches(number)
                await stage.clock.waitForSleepers()
                stage.clock.advance(by: .seconds(30))
            }
            await stage.seen.reaches(4)
        }
        leave.open()
        expect(entered.entries, equals: [1, 2, 3])
        expect(stage.seen.entries.labels, equals: ["1"] + Array(repeating: "failure of 1", count: 3))
        expect(stage.seen.entries[0].outcome.failures.count, equals: 3)
        expect(stage.bus.counts, equals: Counts(posted: 4, handled: 1, unmatched: 3, failures: 3))
        stage.expectLaws()
    }

    @Test("errors posted by an abandoned action, or by the action after it, are delivered like any other")
    func postsOfTheAbandoned() async {
        let (entered, leave, left) = (Gate(), Gate(), Gate())
        let handler = ErrorHandler().on(Mishap(1)) { _ in
            let bus = ErrorBus.current
            entered.open()
            await leave.wait()
            bus?.post(Mishap(2))
            left.open()
            return .stop
        }
        let stage = Stage(handler, actionTimeLimit: .seconds(30))
        await stage.running {
            stage.post(1...1)
            await entered.wait()
            await stage.clock.waitForSleepers()
            stage.clock.advance(by: .seconds(30))
            await stage.seen.reaches(2)
            leave.open()
            await left.wait()
        }
        expect(stage.seen.entries.labels, equals: ["1", "failure of 1", "2"])
        stage.expectLaws()
    }
}
