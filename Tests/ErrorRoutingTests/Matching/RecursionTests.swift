import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

/// Long lists don't cause deep recursion either.
@Suite("Promise 24: user code can't make the library recurse endlessly", .tags(.promise24), .hangLimit)
struct RecursionTests {}

extension RecursionTests {
    @Test("a handler that was overlaid with itself 20,000 times can be used and deallocated")
    func overlays() async {
        let base = ErrorHandler().ignore(CancellationError.self)
        var handler = ErrorHandler().on(Zoo.Offline.self) { _ in .next }
        for _ in 0..<20_000 { handler = base.overlaid(with: handler) }
        expect(handler.handleSynchronously(Zoo.Offline())?.matchedRuleCount, equals: 1)
        for _ in 0..<20_000 { handler = handler.overlaid(with: base) }
        expect(handler.handleSynchronously(Zoo.Offline())?.matchedRuleCount, equals: 1)
        handler = ErrorHandler()
    }

    /// An error that always wraps another error.
    private final class Endless: NSError, @unchecked Sendable {
        override var userInfo: [String: Any] {
            [NSUnderlyingErrorKey: Endless(domain: "endless", code: 1)]
        }
    }

    @Test("a value rule accepts an endless chain of NSErrors, the deepest possible chain, and a large user info")
    func endlessChain() {
        let error = Endless(domain: "endless", code: 1)
        let handler = ErrorHandler().on(error) { _ in .stop }
        expect(handler.handleSynchronously(error)?.isHandled, equals: true)
        expect(handler.handleSynchronously(Endless(domain: "endless", code: 1))?.isHandled, equals: false)
        expectNil(ErrorMatcher.anywhere(.type(Zoo.Offline.self)).match(error))
        expect(ErrorReport(error: error, source: .init()).trail.count, equals: 63)

        func chain() -> NSError {
            (0..<2_000).reduce(NSError(domain: "deep", code: 1)) { error, _ in
                NSError(domain: "deep", code: 1, userInfo: [NSUnderlyingErrorKey: error])
            }
        }
        let deep = chain()
        let deepHandler = ErrorHandler().on(deep) { _ in .stop }
        expect(deepHandler.handleSynchronously(deep)?.isHandled, equals: true)
        expect(deepHandler.handleSynchronously(chain())?.isHandled, equals: false)

        func large() -> NSError { NSError(domain: "large", code: 1, userInfo: ["numbers": Array(0..<100_000)]) }
        let first = large()
        let largeHandler = ErrorHandler().on(first) { _ in .stop }
        expect(largeHandler.handleSynchronously(first)?.isHandled, equals: true)
    }

    /// An error that dispatches itself whenever one of its members is called.
    private struct Eager: Error, Hashable {
        let number = 1
        static func == (one: Eager, other: Eager) -> Bool { evaluate(); return one.number == other.number }
        func hash(into hasher: inout Hasher) { Self.evaluate(); hasher.combine(number) }
        static let evaluations = Journal<Void>()
        private static func evaluate() {
            evaluations.note(())
            _ = RecursionTests.eagerHandler.handleSynchronously(Eager())
        }
    }

    private static let eagerHandler: ErrorHandler = ErrorHandler()
        .on(matching: .any.where { _ in eagerHandler.handleSynchronously(Zoo.Offline())?.isHandled == true }) { _ in
            .stop
        }
        .on(Zoo.Timeout()) { _ in .stop }
        .on(Eager()) { _ in .stop }

    private static let decliningHandler: ErrorHandler = ErrorHandler()
        .on(matching: .type(Zoo.Offline.self) || .predicate { _ in false }) { _ in .stop }
        .onNoMatch { _ in
            await Task.yield()
            return .stop
        }
        .onNoMatch { _ in
            fallbacks.note(())
            return .next
        }

    private static let fallbacks = Journal<Void>()
    private static let declined = Journal<Bool>()

    /// Handles an error within a number of matchers.
    private static func nest(_ depth: Int) -> Bool {
        if depth > 0 { return ErrorMatcher.predicate { _ in nest(depth - 1) }.match(Zoo.Timeout()) != nil }
        declined.note(decliningHandler.handleSynchronously(Zoo.Offline()) == nil)
        return true
    }

    @Test("if only nesting lets an error reach an asynchronous onNoMatch, no onNoMatch runs", .tags(.promise5))
    func declines() {
        _ = Self.nest(PerThread.depthLimit)
        expect(Self.declined.entries, equals: [true])
        _ = Self.nest(0)
        expect(Self.declined.entries, equals: [true, false])
        #expect(Self.fallbacks.entries.isEmpty)
    }

    @Test("predicates, == and hash that dispatch their own error end, and so does a nested search")
    func predicate() {
        #expect(Self.eagerHandler.handleSynchronously(Zoo.Offline()) != nil)
        expect(Self.eagerHandler.explain(Zoo.Offline()).entries.count, equals: 3)
        #expect(Self.eagerHandler.handleSynchronously(Eager()) != nil)
        #expect(!Eager.evaluations.entries.isEmpty)
        #expect(ErrorMatcher.anywhere(.type(Zoo.Offline.self)).match(Curious()) != nil)
        expect(ErrorMatcher.anywhere(.type(Zoo.Timeout.self)).match(Curious())?.seconds, equals: 2)
    }

    /// An error that passes itself to the library when its underlying errors are read.
    private struct Curious: UnderlyingErrorsProviding {
        var underlyingErrors: [any Error] {
            let timeout = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
            return [timeout.match(Curious()) ?? Zoo.Timeout(seconds: 2), Zoo.Offline()]
        }
    }

    // MARK: Errors and matchers that evaluate the error that is being evaluated

    private static let messages = ErrorMap(default: "Something went wrong")
        .on(Payment.self, "Payment failed")
        .on(domain: "payments", "Payments are down")

    /// An error whose description is looked up in a map with the error itself.
    private struct Payment: LocalizedError {
        var errorDescription: String? { RecursionTests.messages[self] }
    }

    private static let plain = ErrorMap(default: "none").on(Described.self, "described")

    private struct Described: LocalizedError {
        var errorDescription: String? { RecursionTests.plain[self] }
        var failureReason: String? { RecursionTests.plain[self] }
    }

    private static let codes: ErrorHandler = ErrorHandler()
        .on(domain: "codes", code: 3) { _ in .stop }
        .on(URLError.self) { _ in .stop }

    private struct Coded: CustomNSError {
        static let errorDomain = "codes"
        var errorCode: Int { RecursionTests.codes.handleSynchronously(self) == nil ? 0 : 3 }
        var errorUserInfo: [String: Any] { ["outcome": RecursionTests.codes.explain(self).entries.count] }
    }

    private final class Object: NSError, @unchecked Sendable {
        override var code: Int { RecursionTests.codes.handleSynchronously(self) == nil ? 0 : 3 }
    }

    @Test("a description or a code can look up its own error, in a Swift error or in a subclass of NSError")
    func codes() {
        #expect(Self.codes.handleSynchronously(Coded()) != nil)
        #expect(Self.codes.handleSynchronously(Object(domain: "codes", code: 1)) != nil)
        expect(Self.plain[Described()], equals: "described")
        expect(Described().errorDescription, equals: "described")
        expect(Self.messages[Payment()], equals: "Payment failed")
        #expect(ErrorReport(error: Payment(), source: .init()).description.contains("Payment failed"))
    }

    private struct Posting: Error, CustomNSError {
        var errorCode: Int {
            ErrorBus.current?.post(self)
            return 3
        }
    }

    @Test("a code can post its error while a flood limit reads the code")
    func floodLimit() async {
        let configuration = ErrorBus.Configuration(floodLimit: FloodLimit(first: 1, per: .seconds(1)))
        let bus = await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            bus.post(Posting())
            return bus
        }
        #expect(bus.statistics.posted <= 100)
        expect(bus.statistics.pending, equals: 0)
    }

    private struct Counted: Error {}

    @Test(
        "predicates that each dispatch or explain the error again are called three levels deep",
        arguments: [false, true], [false, true])
    func manyPredicates(explainFirst: Bool, explainAgain: Bool) {
        let evaluations = Journal<Void>()
        let here = Locked<ErrorHandler?>(nil)
        @Sendable func evaluate(_ handler: ErrorHandler?, explain: Bool, _ error: Counted) {
            if explain { _ = handler?.explain(error) } else { _ = handler?.handleSynchronously(error) }
        }
        let matcher = ErrorMatcher.type(Counted.self).where { error in
            evaluations.note(())
            evaluate(here.withLock { $0 }, explain: explainAgain, error)
            return false
        }
        for rules in [2, 8] {
            let handler = (0..<rules).reduce(ErrorHandler()) { handler, _ in
                handler.on(matching: matcher) { _ in .stop }
            }
            here.withLock { $0 = handler }
            let before = evaluations.entries.count
            evaluate(handler, explain: explainFirst, Counted())
            expect(evaluations.entries.count - before, equals: rules + rules * rules + rules * rules * rules)
        }
        here.withLock { $0 = nil }
    }

    @Test("an explanation calls each of a thousand rules, as a dispatch does")
    func longExplanation() {
        let inner = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
        let handler = (0..<1_100).reduce(ErrorHandler()) { handler, _ in
            handler.on(matching: .predicate { inner.match($0) != nil }) { _ in .next }
        }
        let error = Zoo.Group(underlyingErrors: [Zoo.Timeout()])
        expect(handler.handleSynchronously(error)?.matchedRuleCount, equals: 1_100)
        expect(handler.explain(error).entries.count { $0.verdict != .notMatched }, equals: 1_100)
    }
}
