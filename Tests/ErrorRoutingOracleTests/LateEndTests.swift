import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

/// How an action can end after the bus has abandoned it.
private enum Ending: CaseIterable {
    case returning, throwing, throwingCancellation

    /// The number of last-resort lines that result.
    var lineCount: Int { self == .throwing ? 1 : 0 }

    @Sendable
    func callAsFunction() throws -> HandleStrategy {
        switch self {
        case .returning: return .stop
        case .throwing: throw Mishap(99)
        case .throwingCancellation: throw CancellationError()
        }
    }
}

@Suite(
    "Promises 4, 16, and 18: when an abandoned action ends, nothing changes, and its error is one line",
    .tags(.promise4, .promise16, .promise18), .hangLimit)
struct LateEndTests {}

extension LateEndTests {
    @Test("after a shutdown, no count or outcome changes", arguments: Ending.allCases)
    private func afterShutdown(ending: Ending) async throws {
        let hanging = Hanging { try ending() }
        var stage = Stage(hanging.handler)
        stage.post(1...2)
        let run = stage.run()
        await hanging.entered.wait()
        let returned = await stage.bus.shutdown(within: .zero)
        await run.value
        let counts = stage.bus.counts
        expect(counts, equals: Counts(posted: 2, dropped: 2))
        // The action is cancelled after everything else.
        await hanging.cancelled.wait()
        hanging.leave.open()
        await hanging.left.wait()
        await stage.becomesOnlyOwner()
        try expectLines(stage, ending.lineCount)
        expect(stage.bus.counts, equals: counts)
        expect(hanging.later.entries, equals: [])
        stage.expectLaws(returned: returned)
    }

    @Test(
        "after its time limit, no count, outcome, or observer changes, whether the bus continues or has ended",
        arguments: Ending.allCases)
    private func afterTimeLimit(ending: Ending) async {
        for isEnded in [false, true] {
            let stage = await abandon(ending, isEnded: isEnded)
            expect(stage.lines.count, equals: ending.lineCount)
            expect(stage.seen.entries.labels, equals: ["1", "failure of 1", "2"])
            stage.expectLaws()
        }
    }

    @Test("an error that an action throws after its time limit is exactly one line", arguments: [false, true])
    func lineAfterTimeLimit(isEnded: Bool) async throws {
        let stage = await abandon(.throwing, isEnded: isEnded)
        try expectLines(stage, 1)
    }

    /// Lets an action exceed its time limit, then returns when both the action and the bus have ended.
    ///
    /// - Parameter isEnded: Whether the bus ends before the action.
    private func abandon(_ ending: Ending, isEnded: Bool) async -> Stage {
        let hanging = Hanging { try ending() }
        var stage = Stage(hanging.handler, actionTimeLimit: .seconds(30))
        stage.post(1...2)
        let run = stage.run()
        await hanging.entered.wait()
        await stage.clock.waitForSleepers()
        stage.clock.advance(by: .seconds(30))
        await stage.seen.reaches(3)
        if isEnded {
            stage.bus.finish()
            await run.value
        }
        let counts = Counts(posted: 3, handled: 2, unmatched: 1, failures: 1)
        expect(stage.bus.counts, equals: counts)
        await hanging.cancelled.wait()
        hanging.leave.open()
        await hanging.left.wait()
        // While the bus runs, only a line shows that the bus has processed the action's end.
        if ending.lineCount > 0 { await stage.lines.reaches(ending.lineCount) }
        stage.bus.finish()
        await run.value
        await stage.becomesOnlyOwner()
        expect(stage.bus.counts, equals: counts)
        return stage
    }

    /// Checks that the last resort received the action's late error, and nothing else.
    private func expectLines(_ stage: Stage, _ count: Int) throws {
        expect(stage.lines.entries.labels, equals: Array(repeating: "failure of 1", count: count))
        guard count > 0 else { return }
        let failure = try #require(stage.lines.entries.first?.error as? ActionFailure)
        expect(failure.error as? Mishap, equals: Mishap(99))
    }

    @Test("a failure before the abandoned action is delivered once after a limit, and written once after a shutdown")
    func failureBefore() async {
        for isShutdown in [false, true] {
            let hanging = Hanging()
            var stage = Stage(
                hanging.handler.on(Mishap(1)) { _ in throw Stray() }, actionTimeLimit: .seconds(30))
            stage.post(1...1)
            let run = stage.run()
            await hanging.entered.wait()
            if isShutdown {
                expect(await stage.bus.shutdown(within: .zero).labels, equals: ["1"])
            } else {
                await stage.clock.waitForSleepers()
                stage.clock.advance(by: .seconds(30))
                await stage.seen.reaches(3)
            }
            hanging.leave.open()
            await hanging.left.wait()
            stage.bus.finish()
            await run.value
            await stage.becomesOnlyOwner()
            let delivered = ["1", "failure of 1", "failure of 1"]
            expect(stage.seen.entries.labels, equals: isShutdown ? [] : delivered)
            expect(stage.lines.entries.labels, equals: isShutdown ? ["failure of 1"] : [])
            expect(stage.bus.counts.failures, equals: isShutdown ? 1 : 2)
        }
    }
}
