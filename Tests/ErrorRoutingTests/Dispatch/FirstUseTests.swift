import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("A handler reads its rules as they come at its first use, and looks them up from the second on", .hangLimit)
struct FirstUseTests {}

extension FirstUseTests {
    private static func isIndexed(_ handler: ErrorHandler) -> Bool {
        unsafe handler.rules.reference.program._withUnsafeGuaranteedRef { unsafe $0.index != nil }
    }

    @Test("a use that is suspended and goes on counts once, and so does one of a scope's rules and of those around it")
    func once() async {
        let base = ErrorHandler().on(Numbered(1)) { _ in .next }.onNoMatch { _ in .next }
        let handlers = [
            base, base.always { _ in .next },
            base.always { _ in
                await Task.yield(); return .next
            },
            base.on(Numbered.self) { _ in
                await Task.yield(); return .next
            },
        ]
        for handler in handlers {
            await handler.handle(Numbered(1))
            _ = handler.description
            _ = handler.explain(Numbered(1))
            #expect(!Self.isIndexed(handler))
            await handler.handle(Numbered(1))
            #expect(Self.isIndexed(handler))
        }

        let (outer, inner) = (ErrorHandler().always { _ in .next }, ErrorHandler().on(Numbered(1)) { _ in .next })
        await withErrorBus(handler: outer) { bus in
            _ = await bus.scope("request", handler: inner).deliver(Numbered(1))
            expect([inner, outer].map(Self.isIndexed), equals: [false, false])
            _ = await bus.scope("request", handler: inner).deliver(Numbered(1))
            expect([inner, outer].map(Self.isIndexed), equals: [true, true])
        }
    }

    /// An error that counts how often it is compared.
    private struct Compared: Error, Hashable {
        let count: Counter

        static func == (one: Compared, other: Compared) -> Bool {
            one.count.value.wrappingAdd(1, ordering: .relaxed)
            return true
        }

        func hash(into hasher: inout Hasher) {}
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    @Test("values are compared no more often where something runs after the rule that stops, on a bus or not")
    func comparedOnce() async {
        let error = Compared(count: Counter())
        let stopping = ErrorHandler().on(error) { _ in .stop }
        var (comparisons, onABus): ([Int], [Int]) = ([], [])
        for handler in [stopping, stopping.always { _ in .next }] {
            // The first two make programs and plans.
            for _ in 0..<2 { await handler.handle(error) }
            error.count.value.store(0, ordering: .relaxed)
            await handler.handle(error)
            comparisons.append(error.count.value.exchange(0, ordering: .relaxed))
            await withErrorBus(handler: handler) { bus in _ = await bus.deliver(error) }
            onABus.append(error.count.value.load(ordering: .relaxed))
        }
        #expect(comparisons[0] > 0 && onABus[0] > 0)
        expect(comparisons[1], equals: comparisons[0])
        expect(onABus[1], equals: onABus[0])
    }

    private struct Deep: Error {}

    @Test(
        "a type that is first met where matchers are nested too deep is asked for its domain later", .tags(.behaviour24)
    )
    func metTooDeep() {
        let domain = (Deep() as NSError).domain
        let handler = ErrorHandler().on(domain: "another") { _ in .stop }.on(domain: domain) { _ in .stop }
        for _ in 0..<2 { _ = handler.handleSynchronously(Numbered(1)) }
        #expect(Self.isIndexed(handler))
        @Sendable func dive(_ depth: Int, _ atTheBottom: @escaping @Sendable () -> Void) {
            if depth == PerThread.matcherLimit { return atTheBottom() }
            _ = ErrorMatcher<any Error>.predicate { _ in
                dive(depth + 1, atTheBottom)
                return false
            }.match(Numbered(1))
        }
        // At the bottom no matcher may be asked, so that no rule matches.
        dive(0) { expect(handler.handleSynchronously(Deep())?.disposition, equals: .unmatched) }
        expect(handler.handleSynchronously(Deep())?.disposition, equals: .handled)
    }
}
