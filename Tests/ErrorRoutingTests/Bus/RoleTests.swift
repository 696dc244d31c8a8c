import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

// The check that statistics add up is internal.
@testable import ErrorRouting

@Suite("Promise 27: a post has a role, which its report, lines, and fields show", .tags(.promise27), .hangLimit)
struct RoleTests {}

extension RoleTests {
    @Test("every posting method passes the role to the report; the default is a failure")
    func methods() async {
        let audit = ErrorReport.Role("audit")
        let recorded = await withRecordedErrors { bus in
            let scope = bus.scope("scope")
            let posters: [any ErrorPosting] = [bus, scope, .ambient]
            for poster in posters {
                for role in [.failure, .attempt, .notice, audit] as [ErrorReport.Role] {
                    poster.post(Numbered(1), as: role)
                }
                poster.post(Numbered(1))
                poster.catching { () throws -> Void in throw Numbered(1) }
                await poster.deliver(Numbered(1))
                await poster.deliver(Numbered(1), as: audit)
            }
            postError(Numbered(1), as: .notice)
            postError(Numbered(1))
        }
        let each = ["failure", "attempt", "notice", "audit", "failure", "failure", "failure", "audit"]
        expect(recorded.reports.map(\.role.name), equals: each + each + each + ["notice", "failure"])
        expect(recorded.statistics.ignored, equals: 3, "attempts")
        expect(recorded.statistics.unmatched, equals: recorded.reports.count - 3, "all other roles count alike")
    }

    /// The actions of a handler that have run, each with the role of its report.
    private static func noting(_ ran: Journal<String>, isAsynchronous: Bool) -> ErrorHandler {
        let handler = ErrorHandler()
            .on(Numbered.self) { _, report in
                ran.note("rule \(report.role)")
                return .next
            }
            .ignore(matching: .type(Zoo.Offline.self))
            .onNoMatch { _, report in
                ran.note("onNoMatch \(report.role)")
                return .stop
            }
        if isAsynchronous {
            return handler.always { _, report async in
                await Task.yield()
                ran.note("always \(report.role) \(report.outcome.disposition)")
                return .next
            }
        }
        return handler.always { _, report in
            ran.note("always \(report.role) \(report.outcome.disposition)")
            return .next
        }
    }

    @Test("no rule and no onNoMatch is tried for an attempt, which counts as ignored", arguments: [false, true])
    func attempts(isAsynchronous: Bool) async {
        let ran = Journal<String>()
        let handler = Self.noting(ran, isAsynchronous: isAsynchronous)
        let scoped = ErrorHandler().on(Numbered.self) { _ in
            ran.note("scoped rule")
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler) { bus in
            let scope = bus.scope("scope", handler: scoped)
            for poster in [bus, scope] as [any ErrorPosting] {
                for error in [Numbered(1), Zoo.Offline(), URLError(.timedOut)] as [any Error] {
                    let outcome = await poster.deliver(error, as: .attempt)
                    expect(outcome.disposition, equals: .ignored)
                    expectNil(outcome.rule)
                    expect(outcome.matchedRuleCount, equals: 0)
                }
            }
        }
        expect(ran.entries, equals: Array(repeating: "always attempt ignored", count: 6))
        expect(recorded.statistics.ignored, equals: 6)
        let direct = await handler.handle(ErrorReport(error: Numbered(1), role: .attempt, source: .init()))
        expect(direct.disposition, equals: .ignored)
        expect(ran.entries.count, equals: 7)
        // These handlers have no action that could run.
        let report = ErrorReport(error: Numbered(1), role: .attempt, source: .init())
        expect(await ErrorHandler().handle(report).disposition, equals: .ignored)
        expect(await scoped.handle(report).disposition, equals: .ignored)
    }

    @Test("if an always action throws for an attempt, that is a failure, which rules handle")
    func failingAlways() async {
        let handler = ErrorHandler()
            .on(ActionFailure.self) { _ in .stop }
            .always { error in
                if error is Numbered { throw Zoo.Offline() }
                return .next
            }
        let recorded = await withRecordedErrors(handler: handler) { bus in bus.post(Numbered(1), as: .attempt) }
        expect(recorded.reports.map(\.role), equals: [.attempt, .failure])
        expect(recorded.statistics.ignored, equals: 1)
        expect(recorded.statistics.handled, equals: 1)
    }

    @Test("rules receive every role except attempts, and find it in the report; the bus's own reports are failures")
    func rules() async {
        let roles = Journal<ErrorReport.Role>()
        let handler = ErrorHandler().on(Numbered.self) { _, report in
            roles.note(report.role)
            return .stop
        }
        let recorded = await withRecordedErrors(handler: handler) { bus in
            for role in [.failure, .attempt, .notice] as [ErrorReport.Role] { bus.post(Numbered(1), as: role) }
        }
        expect(roles.entries, equals: [.failure, .notice])
        expect(recorded.statistics.handled, equals: 2)

        let failing = ErrorHandler().on(Numbered.self) { _ in throw Zoo.Offline() }
        let failed = await withRecordedErrors(handler: failing) { bus in bus.post(Numbered(1), as: .notice) }
        expect(failed.reports.map(\.role), equals: [.notice, .failure])
        #expect(failed.errors.last is ActionFailure)
    }

    @Test("a line begins with the role, even a line from the last resort, and the fields contain the role")
    func texts() async {
        for role in ["failure", "attempt", "notice", "two words"] {
            let report = ErrorReport(error: Numbered(1), role: .init(role), source: .init())
            let shown = role == "two words" ? "\"two words\"" : role
            #expect(report.description.hasPrefix("\(shown) type=ErrorRoutingTests.Numbered message="))
            expect(report.fields["error.role"], equals: role)
        }

        let lines = Journal<String>()
        let bus = ErrorBus(handler: .init(), configuration: .init(lastResort: LastResort { lines.note($0) }))
        bus.finish()
        bus.post(Numbered(1), as: .attempt)
        bus.scope("scope").post(Numbered(1), as: .notice)
        expect(lines.entries.map { $0.prefix { $0 != " " } }, equals: ["attempt", "notice"])
        await bus.run()
    }

    @Test("a flood limit merges attempts, but never a notice, even if it holds back other errors of the notice's kind")
    func floodLimit() async {
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(10)) { _ in "all" }, clock: ManualClock())
        let recorded = await withRecordedErrors(configuration: configuration) { bus in
            for number in 1...3 { bus.post(Numbered(number), as: .notice) }
            for number in 4...6 { bus.post(Numbered(number), as: .attempt) }
            for number in 7...9 { bus.scope("scope").post(Numbered(number), as: .notice) }
        }
        expect(recorded.matches(of: .type(Numbered.self)).map(\.number), equals: [1, 2, 3, 4, 7, 8, 9, 6])
        expect(recorded.reports.map(\.role.name).suffix(4), equals: ["notice", "notice", "notice", "attempt"])
        expect(recorded.reports.map(\.occurrences), equals: [1, 1, 1, 1, 1, 1, 1, 2])
        expect(recorded.statistics.suppressed, equals: 1)
        #expect(recorded.statistics.isBalanced)
    }
}
