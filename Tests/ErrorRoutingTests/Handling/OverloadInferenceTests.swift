import ErrorRouting
import Foundation
import TestSupport
import Testing

/// The compiler picks the synchronous shape if the closure doesn't await.
///
/// Many of these tests only have to compile.
@Suite("Every verb accepts an action of each shape, and the compiler infers the shape", .hangLimit)
struct OverloadInferenceTests {
    private struct Payment: Error { var isRetryable = true }

    let trace = ActionTrace()

    private let error = Zoo.Timeout(seconds: 5)
    private let domain = "ErrorRoutingTests.Zoo.Timeout"

    private func suspending(_ note: String) async -> HandleStrategy {
        await Task.yield()
        return trace(note)
    }

    /// Checks that actions are synchronous if they were written so, and that each shape's action runs.
    private func expectShapes(
        _ handlers: [ErrorHandler],
        _ note: String,
        line: Int = #line
    ) async {
        expect(handlers.count, equals: 4, line: line)
        let answers = handlers.map { $0.handleSynchronously(error) != nil }
        expect(answers, equals: [true, true, false, false], line: line)
        expect(trace.takeAll(), equals: [note, note], line: line)
        for handler in handlers { await handler.handle(error) }
        expect(trace.takeAll(), equals: [note, note, note, note], line: line)
    }
}

extension OverloadInferenceTests {
    @Test("on accepts all four shapes, by matcher, type, value, and domain; a domain's action receives the NSError")
    func onMatcher() async {
        let new = ErrorHandler()
        await expectShapes(
            [
                new.on(matching: .type(Zoo.Timeout.self)) { trace("\($0.seconds)") },
                new.on(matching: .type(Zoo.Timeout.self)) { error, report in
                    trace("\(error.seconds * report.occurrences)")
                },
                new.on(matching: .type(Zoo.Timeout.self)) { await suspending("\($0.seconds)") },
                new.on(matching: .type(Zoo.Timeout.self)) { await suspending("\($0.seconds * $1.occurrences)") },
            ],
            "5"
        )
        await expectShapes(
            [
                new.on(Zoo.Timeout.self) { error in trace("\(error.seconds)") },
                new.on(Zoo.Timeout.self) { trace("\($0.seconds * $1.occurrences)") },
                new.on(Zoo.Timeout.self) { await suspending("\($0.seconds)") },
                new.on(Zoo.Timeout.self) { error, report in await suspending("\(error.seconds * report.occurrences)") },
            ],
            "5"
        )
        await expectShapes(
            [
                new.on(error) { trace("\($0.seconds)") },
                new.on(error) { trace("\($0.seconds * $1.occurrences)") },
                new.on(error) { error in await suspending("\(error.seconds)") },
                new.on(error) { error, report in await suspending("\(error.seconds * report.occurrences)") },
            ],
            "5"
        )
        await expectShapes(
            [
                new.on(domain: domain) { trace($0.domain) },
                new.on(domain: domain) { error, report in trace("\(error.domain)\(report.scope.joined())") },
                new.on(domain: domain, code: 1) { await suspending($0.domain) },
                new.on(domain: domain, code: 1) { error, _ in await suspending(error.domain) },
            ],
            domain
        )
    }

    @Test("onNoMatch and always accept all four shapes")
    func onNoMatch() async {
        let new = ErrorHandler().on(Payment.self) { _ in .stop }
        await expectShapes(
            [
                new.onNoMatch { trace("\($0)") },
                new.onNoMatch { _, report in trace("\(report.error)") },
                new.onNoMatch { error in await suspending("\(error)") },
                new.onNoMatch { await suspending("\($1.error)") },
            ],
            "\(error)"
        )
        await expectShapes(
            [
                new.always { trace("\($0)") },
                new.always { _, report in trace("\(report.error)") },
                new.always { error in await suspending("\(error)") },
                new.always { await suspending("\($1.error)") },
            ],
            "\(error)"
        )
    }

    @Test("always accepts actions that return nothing in all four shapes, and the actions after them still run")
    func alwaysReturningNothing() async {
        @Sendable func note(_ text: String) { _ = trace(text) }
        let last = ErrorHandler().always { _ in trace("last") }
        let handlers = [
            last.always { note("\($0)") },
            last.always { error, report in
                let text = "\(report.error)"
                note(text)
            },
            last.always { error in
                await Task.yield()
                note("\(error)")
            },
            last.always {
                await Task.yield()
                note("\($1.error)")
            },
        ]
        expect(handlers.map { $0.handleSynchronously(error) != nil }, equals: [true, true, false, false])
        expect(trace.takeAll(), equals: ["\(error)", "last", "\(error)", "last"])
        for handler in handlers { await handler.handle(error) }
        expect(trace.takeAll(), equals: Array(repeating: ["\(error)", "last"], count: 4).flatMap { $0 })

        // The error that it throws is a failure. A closure that only throws fits the other overloads too.
        let throwing = last.always { error in
            if error is Zoo.Timeout { throw Zoo.Offline() }
        }
        expect(throwing.handleSynchronously(error)?.failures.count, equals: 1)
        expect(last.always { _ in throw Zoo.Offline() }.handleSynchronously(error)?.failures.count, equals: 1)
        expect(trace.takeAll(), equals: ["last", "last"])
    }

    @Test("closures of several statements infer their input, and can throw; single expressions infer .next and .stop")
    func severalStatements() async {
        let handler = ErrorHandler()
            .on(Payment.self) { error in
                guard error.isRetryable else { throw Zoo.Offline() }
                _ = trace("retry")
                return .stop
            }
            .on(matching: .type(Zoo.Timeout.self)) { error, report in
                if error.seconds > 10 { return .next }
                switch report.occurrences {
                case 1: return trace("once", .stop)
                default: return trace("often", .stop)
                }
            }
            .on(matching: .extracting(Zoo.Shade.self) { if case .dark(let depth) = $0 { depth } else { nil } }) {
                depth in
                let next = depth + 1
                return await suspending("dark \(next)")
            }
        await handler.handle(Payment())
        await handler.handle(Zoo.Timeout(seconds: 5))
        await handler.handle(Zoo.Shade.dark(1))
        expect(trace.entries, equals: ["retry", "once", "dark 2"])
        expect(await handler.handle(Payment(isRetryable: false)).failures.count, equals: 1)

        let single = ErrorHandler()
            .on(Payment.self) { $0.isRetryable ? .next : .stop }
            .on(Zoo.Timeout.self) { error in if error.seconds > 10 { .next } else { .stop } }
            .on(matching: .any) { _ in .next }
        expect(single.handleSynchronously(Payment(isRetryable: true))?.matchedRuleCount, equals: 2)
        expect(single.handleSynchronously(Zoo.Timeout(seconds: 5))?.disposition, equals: .handled)
    }

    @Test("functions can be passed as actions")
    func functions() async {
        @Sendable func stop(_ error: Zoo.Timeout) -> HandleStrategy { trace("stop", .stop) }
        @Sendable func note(_ error: any Error, _ report: ErrorReport) async throws -> HandleStrategy {
            await suspending("note")
        }
        let handler = ErrorHandler().on(matching: .any, do: note).on(Zoo.Timeout.self, do: stop)
        expect(await handler.handle(error).matchedRuleCount, equals: 1)
        expect(await handler.handle(Zoo.Offline()).matchedRuleCount, equals: 1)
        expect(trace.entries, equals: ["stop", "note"])
    }

    @Test("one matcher in a constant can be used for several verbs")
    func sharedMatcher() {
        let slow = ErrorMatcher.type(Zoo.Timeout.self).where { $0.seconds > 10 }.named("slow")
        let handler = ErrorHandler().ignore(matching: slow || .type(Payment.self)).on(matching: slow) {
            trace("\($0.seconds)")
        }
        let map = ErrorMap(default: "other").on(matching: slow, "slow")
        expect(handler.handleSynchronously(Zoo.Timeout(seconds: 11))?.disposition, equals: .ignored)
        expect(handler.handleSynchronously(Payment())?.disposition, equals: .ignored)
        expect(handler.handleSynchronously(error)?.disposition, equals: .unmatched)
        expect(map[Zoo.Timeout(seconds: 11)], equals: "slow")
        expect(trace.entries, equals: ["11"])
    }
}
