import ErrorRouting
import ErrorRoutingTesting
import TestSupport
import Testing

@Suite(
    "Promise 4: a bus delivers an action's failure right after its report, and never recurses",
    .tags(.promise4), .hangLimit)
struct FailureTests {}

extension FailureTests {
    /// Rules for a number: two of them fail, and the other rules stop the error and the failures.
    private static func failing(on number: Int, isAsynchronous: Bool) -> ErrorHandler {
        let isFailing = { @Sendable (error: Mishap) in error.number == number }
        let rules = ErrorHandler().on(ActionFailure.self) { _ in .stop }.on(Mishap.self) { _ in .stop }
        if isAsynchronous {
            return rules.on(matching: .type(Mishap.self).where(isFailing)) { _ in
                await Task.yield()
                throw Mishap(102)
            }.on(matching: .type(Mishap.self).where(isFailing)) { _ in
                await Task.yield()
                throw Mishap(101)
            }
        }
        return rules.on(matching: .type(Mishap.self).where(isFailing)) { _ in throw Mishap(102) }
            .on(matching: .type(Mishap.self).where(isFailing)) { _ in throw Mishap(101) }
    }

    @Test("failures come right after their report, before reports that were already pending", arguments: [false, true])
    func order(isAsynchronous: Bool) async {
        let stage = Stage(Self.failing(on: 1, isAsynchronous: isAsynchronous))
        stage.post(0...3)
        await stage.drain()
        expect(stage.seen.entries.labels, equals: ["0", "1", "failure of 1", "failure of 1", "2", "3"])
        let failures = stage.seen.entries.compactMap { $0.error as? ActionFailure }
        expect(failures.map { $0.error as? Mishap }, equals: [Mishap(101), Mishap(102)])
        expect(failures.map { $0.underlyingErrors.count }, equals: [1, 1])
        let outcome = stage.seen.entries[1].outcome
        // A failed action counts as a match that continues.
        expect(outcome.disposition, equals: .handled)
        expect(outcome.matchedRuleCount, equals: 3)
        expect(outcome.failures.count, equals: 2)
        expect(stage.bus.counts, equals: Counts(posted: 6, handled: 6, failures: 2))
        expect(stage.lines.count, equals: 0)
        stage.expectLaws()
    }

    @Test("in a failure, anywhere finds the error that was thrown, and doesn't find the report's error")
    func underlyingErrors() async throws {
        let stage = Stage(ErrorHandler().on(Mishap(1)) { _ in throw Stray() })
        stage.post(1...1)
        await stage.drain()
        let failure = try #require(stage.seen.entries.last?.error)
        #expect(failure is ActionFailure)
        #expect(ErrorMatcher<any Error>.anywhere(.any).match(failure) != nil)
        #expect(ErrorMatcher.anywhere(.type(Stray.self)).match(failure) != nil)
        expectNil(ErrorMatcher.anywhere(.type(Mishap.self)).match(failure))
    }

    @Test("if an action fails for a failure, that is one last-resort line, not a report", arguments: [false, true])
    func neverRecurses(isAsynchronous: Bool) async {
        let handler =
            isAsynchronous
            ? ErrorHandler().on(matching: .any) { _ in
                await Task.yield()
                throw Stray()
            }
            : ErrorHandler().on(matching: .any) { _ in throw Stray() }
        let stage = Stage(handler)
        stage.post(1...3)
        await stage.drain()
        expect(
            stage.seen.entries.labels,
            equals: ["1", "failure of 1", "2", "failure of 2", "3", "failure of 3"])
        expect(stage.lines.entries.labels, equals: (1...3).map { "failure of failure of \($0)" })
        expect(stage.bus.counts.posted, equals: 6)
        expect(stage.bus.counts.failures, equals: 6)
        stage.expectLaws()
    }

    @Test("a failure of a scope's action is delivered with the report's scope; an always action can fail too")
    func scopeAndAlways() async {
        let stage = Stage(
            ErrorHandler().on(Mishap.self) { _ in .stop }.always { error in
                if error is Mishap { throw Stray() }
            })
        let scope = stage.bus.scope("store", handler: ErrorHandler().on(Mishap(2)) { _ in throw Mishap(9) })
        stage.post(1...1)
        scope.post(Mishap(2))
        await stage.drain()
        expect(
            stage.seen.entries.labels, equals: ["1", "failure of 1", "2", "failure of 2", "failure of 2"])
        expect(stage.seen.entries.map(\.scope), equals: [[], [], ["store"], ["store"], ["store"]])
        stage.expectLaws()
    }

    @Test("failures are posted even by a full bus, and take no capacity")
    func fullBus() async {
        let stage = Stage(ErrorHandler().on(Mishap.self) { _ in throw Stray() }, capacity: 1)
        stage.post(1...3)
        await stage.drain()
        expect(stage.seen.entries.labels, equals: ["1", "failure of 1", "drops 2"])
        stage.expectLaws()
    }
}
