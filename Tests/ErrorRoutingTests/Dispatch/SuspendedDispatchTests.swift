import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promises 1 to 5: a suspended dispatch continues with the next rule and doesn't repeat anything",
    .tags(.promise1, .promise2, .promise3, .promise4, .promise5), .hangLimit)
struct SuspendedDispatchTests {}

extension SuspendedDispatchTests {
    /// Notes each call, in order.
    private final class Notes: Sendable {
        private let notes = Locked<[String]>([])

        func add(_ note: String) { notes.withLock { $0.append(note) } }

        func taken() -> [String] {
            notes.withLock { notes in
                defer { notes = [] }
                return notes
            }
        }
    }

    /// Handles an error by itself and on a bus, three times each: with and without a plan.
    private func uses(
        of handler: ErrorHandler, _ error: any Error, _ notes: Notes, _ check: ([String], HandleOutcome) -> Void
    ) async {
        for _ in 0..<3 {
            let outcome = await handler.handle(error)
            check(notes.taken(), outcome)
        }
        let copy = ErrorHandler().overlaid(with: handler).on(matching: .predicate { _ in false }) { _ in .stop }
        await withErrorBus(handler: copy) { bus in
            for _ in 0..<3 {
                let outcome = await bus.deliver(error)
                check(notes.taken(), outcome)
            }
        }
    }

    @Test("predicates before and after an asynchronous rule are called once, and each action runs once")
    func predicates() async {
        let notes = Notes()
        func predicate(_ name: String, _ holds: Bool) -> ErrorMatcher<any Error> {
            .predicate { _ in
                notes.add("\(name)?")
                return holds
            }
        }
        let handler = ErrorHandler()
            .on(matching: predicate("last", true)) { _ in
                notes.add("last"); return .next
            }
            .on(Numbered.self) { _ in
                await Task.yield(); notes.add("second"); return .next
            }
            .on(matching: predicate("no", false)) { _ in .stop }
            .on(matching: predicate("middle", true)) { _ in
                notes.add("middle"); return .next
            }
            .on(matching: predicate("waiting", true)) { _ in
                await Task.yield(); notes.add("waiting"); return .next
            }
            .on(matching: predicate("first", true)) { _ in
                notes.add("first"); return .next
            }
        await uses(of: handler, Numbered(1), notes) { ran, outcome in
            expect(
                ran,
                equals: [
                    "first?", "first", "waiting?", "waiting", "middle?", "middle", "no?", "second", "last?", "last",
                ])
            expect(outcome.disposition, equals: .handled)
            expect(outcome.matchedRuleCount, equals: 5)
        }
    }

    @Test("fallbacks before and after an asynchronous fallback run once, in order")
    func fallbacks() async {
        let notes = Notes()
        let handler = ErrorHandler()
            .always { _ in
                notes.add("always 2"); return .next
            }
            .always { _ in
                await Task.yield(); notes.add("always 1"); return .next
            }
            .always { _, report in
                notes.add("always 0 \(report.outcome.disposition)"); return .next
            }
            .onNoMatch { _ in
                notes.add("none 3"); return .stop
            }
            .onNoMatch { _ in
                await Task.yield(); notes.add("none 2"); return .next
            }
            .onNoMatch { _ in
                notes.add("none 1"); return .next
            }
            .onNoMatch { _, _ in
                await Task.yield(); notes.add("none 0"); return .next
            }
            .on(Numbered(1)) { _ in
                notes.add("rule"); return .next
            }
        await uses(of: handler, Numbered(1), notes) { ran, _ in
            expect(ran, equals: ["rule", "always 0 handled", "always 1", "always 2"])
        }
        let unmatched = ["none 0", "none 1", "none 2", "none 3", "always 0 unmatched", "always 1", "always 2"]
        await uses(of: handler, Numbered(2), notes) { ran, _ in expect(ran, equals: unmatched) }
    }

    /// An error that equals any value at every second comparison.
    private struct Fickle: Error, Hashable {
        let count: Counter

        static func == (one: Fickle, other: Fickle) -> Bool {
            one.count.value.wrappingAdd(1, ordering: .relaxed).newValue % 2 == 0
        }

        func hash(into hasher: inout Hasher) { hasher.combine(count.value.load(ordering: .relaxed) % 3) }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    @Test("no rule runs twice for an error whose == changes its result")
    func fickle() async {
        for values in [1, 3, 9] {
            let notes = Notes()
            let error = Fickle(count: Counter())
            var handler = ErrorHandler()
            for number in 0..<values {
                handler =
                    handler
                    .on(error) { _ in
                        notes.add("value \(number)"); return .next
                    }
                    .on(error) { _ in
                        await Task.yield(); notes.add("slow \(number)"); return .next
                    }
                    .on(Fickle.self) { _ in
                        await Task.yield(); notes.add("type \(number)"); return .next
                    }
            }
            await uses(of: handler, error, notes) { ran, _ in
                expect(Set(ran).count, equals: ran.count, "\(ran)")
                expect(ran.filter { $0.hasPrefix("type") }, equals: (0..<values).reversed().map { "type \($0)" })
            }
        }
    }

    /// An error that counts its comparisons.
    private struct Counted: Error, Hashable {
        let count: Counter

        static func == (one: Counted, other: Counted) -> Bool {
            one.count.value.add(1, ordering: .relaxed)
            return true
        }

        func hash(into hasher: inout Hasher) {}
    }

    @Test("after a suspension no rule is looked up again: the number of comparisons doesn't depend on the rules")
    func comparedOnce() async {
        let error = Counted(count: Counter())
        var counts: [Int: [Int]] = [:]
        for rules in [5, 30] {
            let handler = (0..<rules).reduce(ErrorHandler()) { handler, _ in
                handler.on(error) { _ in
                    await Task.yield(); return .next
                }
            }
            for _ in 0..<3 { expect(await handler.handle(error).matchedRuleCount, equals: rules) }
            counts[rules] = []
            for _ in 0..<3 {
                let before = error.count.value.load(ordering: .relaxed)
                await handler.handle(error)
                counts[rules]?.append(error.count.value.load(ordering: .relaxed) - before)
            }
        }
        expect(counts[30], equals: counts[5])
    }

    private enum Status: Int, Error, Hashable {
        case lost = 7
        case late
    }

    @Test("rules by type, value, and domain for one type keep their order")
    func valuesAndDomains() async {
        let notes = Notes()
        let domain = (Status.lost as NSError).domain
        var (handler, map) = (ErrorHandler(), ErrorMap(default: -1))
        for number in 0..<3 {
            handler =
                handler
                .on(Status.self) { _ in
                    notes.add("type \(number)"); return .next
                }
                .on(domain: domain, code: (Status.lost as NSError).code) { _ in
                    notes.add("code \(number)"); return .next
                }
                .on(Status.lost) { _ in
                    notes.add("value \(number)"); return .next
                }
                .on(domain: domain) { _ in
                    notes.add("domain \(number)"); return .next
                }
                .on(domain: "another") { _ in .stop }
            map = map.on(Status.lost, number).on(domain: domain, code: (Status.late as NSError).code, 10 + number)
        }
        for _ in 0..<3 {
            await handler.handle(Status.lost)
            expect(
                notes.taken(),
                equals: (0..<3).reversed().flatMap { ["domain \($0)", "value \($0)", "code \($0)", "type \($0)"] })
            await handler.handle(Status.late)
            expect(notes.taken(), equals: (0..<3).reversed().flatMap { ["domain \($0)", "type \($0)"] })
            expect([Status.lost, .late].map { map[$0] }, equals: [2, 12])
        }
    }

    @Test("a rule can pass the error to its own handler again, at the handler's first use and later")
    func within() async {
        struct Nested: Error { let depth: Int }
        let notes = Notes()
        let own = Locked<ErrorHandler?>(nil)
        let handler = ErrorHandler()
            .onNoMatch { _ in
                notes.add("none"); return .stop
            }
            .on(Nested.self) { error in
                notes.add("last \(error.depth)"); return .next
            }
            .on(Nested.self) { error in
                guard error.depth > 0, let handler = own.withLock({ $0 }) else { return .next }
                expect(handler.handleSynchronously(Nested(depth: error.depth - 1))?.matchedRuleCount, equals: 2)
                return .next
            }
        own.withLock { $0 = handler }
        for _ in 0..<3 {
            await handler.handle(Nested(depth: 3))
            expect(notes.taken(), equals: ["last 0", "last 1", "last 2", "last 3"])
        }
        own.withLock { $0 = nil }
    }
}

@Suite(
    "Promises 16 and 18: a dispatch whose report was removed runs no further rule",
    .tags(.promise16, .promise18), .hangLimit)
struct RemovedReportDispatchTests {}

extension RemovedReportDispatchTests {
    /// When the report is removed.
    enum Time: CaseIterable { case never, duringAction, beforeEnd, whileSynchronous }

    @Test("the dispatch ends after the action during which the report was removed", arguments: Time.allCases)
    func ends(time: Time) async {
        let supervisor = RemovingSupervisor(time)
        let ran = Journal<Int>()
        let handler = ErrorHandler()
            .on(Numbered.self) { _ in
                ran.note(3)
                return .next
            }
            .on(Numbered.self) { _ in
                await Task.yield()
                ran.note(2)
                throw Numbered(2)
            }
            .on(Numbered.self) { _ in
                ran.note(1)
                if time == .whileSynchronous { supervisor.removeReport() }
                throw Numbered(1)
            }
        let report = ErrorReport(error: Numbered(0), source: .init())
        var cursor = RuleRunner(handler.rules.path, DispatchReporter(report))
        if cursor.run(report.error, under: supervisor) {
            await cursor.finish(UnboxedError(report.error), under: supervisor)
        }
        withExtendedLifetime(handler) {}
        expect(ran.entries, equals: time == .never ? [1, 2, 3] : time == .whileSynchronous ? [1] : [1, 2])
        let failures = (cursor.failures ?? []).map { ($0.error as? Numbered)?.number }
        expect(failures, equals: time == .never || time == .duringAction ? [1, 2] : [1])
        expect(supervisor.failed.entries, equals: time == .never || time == .duringAction ? [1, 2] : [1])
    }
}

/// A supervisor that removes the report at a given time.
private final class RemovingSupervisor: ActionSupervisor {
    private let time: RemovedReportDispatchTests.Time
    private let isRemoved = Atomic(false)
    let failed = Journal<Int>()

    init(_ time: RemovedReportDispatchTests.Time) { self.time = time }

    func removeReport() { isRemoved.store(true, ordering: .releasing) }

    var isReportRemoved: Bool { isRemoved.load(ordering: .acquiring) }

    func actionDidFail(_ failure: ActionFailure) { failed.note((failure.error as? Numbered)?.number ?? 0) }

    func perform(_ action: PreparedAction) async -> ActionEnd {
        do {
            let result = try await action.run()
            return .returned(result)
        } catch {
            if time == .beforeEnd { return .reportRemoved }
            let failure = action.failure(error)
            actionDidFail(failure)
            if time == .duringAction { removeReport() }
            return .failed(failure)
        }
    }
}
