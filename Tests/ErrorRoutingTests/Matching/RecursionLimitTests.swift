import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Promise 24: the library doesn't cache decisions that it made at the depth limit", .tags(.promise24), .hangLimit)
struct RecursionLimitTests {
    /// Calls a closure within as many matchers as user code may be nested.
    private func atLimit(_ body: @escaping @Sendable () -> Void) {
        nest(PerThread.depthLimit, body)
    }

    private func nest(_ depth: Int, _ body: @escaping @Sendable () -> Void) {
        if depth == 0 { return body() }
        _ = ErrorMatcher.predicate { _ in
            nest(depth - 1, body)
            return true
        }.match(Zoo.Timeout())
    }

    @Test("a rule for a class still matches at the limit once its type is known, because no user code compares classes")
    func classes() {
        let handler = ErrorHandler().on(Zoo.Animal.self) { _ in .stop }
        for error in [Zoo.Animal(), Zoo.Owl()] {
            expect(handler.handleSynchronously(error)?.isHandled, equals: true)
            atLimit { expect(handler.handleSynchronously(error)?.isHandled, equals: true) }
        }
    }

    @Test("a handler declines at the limit and handles the same type synchronously afterwards", .tags(.promise5))
    func declines() {
        let handler = ErrorHandler()
            .on(matching: .any) { _ in .stop }
            .on(domain: "other") { _ async throws -> HandleStrategy in .next }
        atLimit { _ = handler.handleSynchronously(Zoo.Offline()) }
        expect(handler.handleSynchronously(Zoo.Offline())?.isHandled, equals: true)
    }

    @Test(
        "with an asynchronous onNoMatch, a handler declines at the limit unless a rule matches without its matcher",
        .tags(.promise5))
    func declinesForFallback() {
        let ran = Journal<String>()
        let fallbacks = ErrorHandler()
            .onNoMatch { _ async throws -> HandleStrategy in .next }
            .onNoMatch { _ in
                ran.note("onNoMatch"); return .next
            }
        let called = fallbacks.on(matching: .conforming(to: (any LocalizedError).self)) { _ in .stop }
        let certain = called.on(Zoo.Localized.self) { _ in .stop }
        // The first call creates a plan, except at the limit.
        for _ in 0..<2 {
            atLimit {
                expectNil(called.handleSynchronously(Zoo.Localized()))
                expect(certain.handleSynchronously(Zoo.Localized())?.isHandled, equals: true)
            }
            expect(called.handleSynchronously(Zoo.Localized())?.isHandled, equals: true)
            expect(certain.handleSynchronously(Zoo.Localized())?.isHandled, equals: true)
        }
        expect(ran.entries, equals: [])
    }

    /// A value whose comparisons are counted.
    private struct Counted: Error, Hashable {
        let number: Int
        static let comparisons = Journal<Void>()
        static func == (one: Counted, other: Counted) -> Bool {
            comparisons.note(())
            return one.number == other.number
        }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test("many values are found by their hash, even if the first error of the type came at the limit")
    func index() {
        let handler = (0..<100).reduce(ErrorHandler()) { handler, number in
            handler.on(Counted(number: number)) { _ in .stop }
        }
        atLimit { _ = handler.handleSynchronously(Counted(number: 1)) }
        expect(handler.handleSynchronously(Counted(number: 1))?.isHandled, equals: true)
        let before = Counted.comparisons.entries.count
        expect(handler.handleSynchronously(Counted(number: 1))?.isHandled, equals: true)
        #expect(Counted.comparisons.entries.count - before < 10)
    }

    /// A value whose hash dispatches the value itself.
    private struct Hashing: Error, Hashable {
        let number: Int
        static let comparisons = Journal<Void>()
        static func == (one: Hashing, other: Hashing) -> Bool {
            comparisons.note(())
            return one.number == other.number
        }
        func hash(into hasher: inout Hasher) {
            _ = RecursionLimitTests.hashingHandler.handleSynchronously(self)
            hasher.combine(number)
        }
    }

    private static let hashingHandler = (0..<200).reduce(ErrorHandler()) { handler, number in
        handler.on(Hashing(number: number)) { _ in .stop }
    }

    @Test("the index by value is complete if a value's hash dispatches the value")
    func hashing() {
        let outcome = Self.hashingHandler.handleSynchronously(Hashing(number: 3))
        expect(outcome?.isHandled, equals: true)
        let before = Hashing.comparisons.entries.count
        expect(Self.hashingHandler.handleSynchronously(Hashing(number: 300))?.isHandled, equals: false)
        #expect(Hashing.comparisons.entries.count - before < 100)
    }

    @Test("a flood limit doesn't merge errors with different codes that are posted at the limit", .tags(.promise20))
    func floodLimit() async {
        let handled = Journal<String>()
        let handler = ErrorHandler().always { error, report in
            handled.note("\((error as NSError).domain) ×\(report.occurrences)")
            return .next
        }
        let configuration = ErrorBus.Configuration(floodLimit: FloodLimit(first: 1, per: .seconds(3_600)))
        let bus = await withErrorBus(handler: handler, configuration: configuration) { bus in
            atLimit { for domain in ["A", "B", "C", "C"] { bus.post(NSError(domain: domain, code: 1)) } }
            return bus
        }
        expect(handled.entries, equals: ["A ×1", "B ×1", "C ×1", "C ×1"])
        expect(bus.statistics.suppressed, equals: 0)
    }

    @Test("a flood limit with its own fingerprint limits errors that are posted at the limit", .tags(.promise20))
    func ownFingerprint() async {
        let configuration = ErrorBus.Configuration(
            floodLimit: FloodLimit(first: 1, per: .seconds(3_600)) { ($0.error as NSError).domain })
        let bus = await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            atLimit { for domain in ["A", "B", "B", "B"] { bus.post(NSError(domain: domain, code: 1)) } }
            return bus
        }
        expect(bus.statistics, equals: .init(posted: 4, unmatched: 3, suppressed: 1))
    }
}
