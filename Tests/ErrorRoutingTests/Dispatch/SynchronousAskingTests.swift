import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviour 5: to find out whether it declines, `handleSynchronously` asks no rule whose match makes no difference",
    .tags(.behaviour5), .hangLimit)
struct SynchronousAskingTests {}

extension SynchronousAskingTests {
    private final class Count: Sendable {
        private let value = Atomic(0)

        func add() { value.add(1, ordering: .relaxed) }
        func taken() -> Int { value.exchange(0, ordering: .relaxed) }
    }

    /// Fifty rules whose predicates are counted and do not hold, below one for numbers.
    private static func rules(on handler: ErrorHandler, counting asked: Count) -> ErrorHandler {
        (0..<50).reduce(handler) { handler, _ in
            handler.on(
                matching: .predicate { _ in
                    asked.add(); return false
                }
            ) { _ in .stop }
        }
        .on(Numbered.self) { _ in .stop }
    }

    @Test("an asynchronous onNoMatch asks the rules up to the first that matches")
    func noMatch() {
        let asked = Count()
        let handler = Self.rules(
            on: ErrorHandler().onNoMatch { _ in
                await Task.yield(); return .stop
            }, counting: asked)
        // At its first use, indexed, and planned.
        for _ in 0..<3 {
            expect(handler.handleSynchronously(Numbered(1))?.matchedRuleCount, equals: 1)
            expect(asked.taken(), equals: 0)
        }
        expectNil(handler.handleSynchronously(CancellationError()))
        expect(asked.taken(), equals: 50)
    }

    @Test("an asynchronous rule that does not match asks no synchronous one, and those that are reached are asked once")
    func otherRule() {
        let asked = Count()
        let handler = Self.rules(
            on: ErrorHandler().on(matching: .predicate { _ in false }) { _ in
                await Task.yield(); return .stop
            }, counting: asked)
        for _ in 0..<3 {
            expect(handler.handleSynchronously(Numbered(1))?.matchedRuleCount, equals: 1)
            expect(asked.taken(), equals: 0)
            expect(handler.handleSynchronously(CancellationError())?.disposition, equals: .unmatched)
            expect(asked.taken(), equals: 50)
        }
    }

    @Test("an asynchronous always declines at once")
    func always() {
        let asked = Count()
        let handler = Self.rules(
            on: ErrorHandler().always { _ in
                await Task.yield(); return .stop
            }, counting: asked)
        for _ in 0..<3 {
            expectNil(handler.handleSynchronously(Numbered(1)))
            expectNil(handler.handleSynchronously(CancellationError()))
            expect(asked.taken(), equals: 0)
        }
    }
}
