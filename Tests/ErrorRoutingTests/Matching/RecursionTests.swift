import ErrorRouting
import Foundation
import TestSupport
import Testing

/// Long lists do not lead to deep recursion either.
@Suite("Behaviour 24: user code cannot make the library recurse without end", .tags(.behaviour24))
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

    /// An error that always has another one under it.
    private final class Endless: NSError, @unchecked Sendable {
        override var userInfo: [String: Any] {
            [NSUnderlyingErrorKey: Endless(domain: "endless", code: 1)]
        }
    }

    @Test("a value rule comes to an end on an endless chain of NSErrors")
    func endlessChain() {
        let error = Endless(domain: "endless", code: 1)
        let handler = ErrorHandler().on(error) { _ in .stop }
        expect(handler.handleSynchronously(error)?.isHandled, equals: true)
        expect(handler.handleSynchronously(Endless(domain: "endless", code: 1))?.isHandled, equals: false)
        expectNil(ErrorMatcher.anywhere(.type(Zoo.Offline.self)).match(error))
        expect(ErrorReport(error: error, source: .init()).trail.count, equals: 63)
    }

    @Test("a value rule takes a chain of NSErrors as deep as can be deallocated")
    func deepChain() {
        func chain() -> NSError {
            (0..<2_000).reduce(NSError(domain: "deep", code: 1)) { error, _ in
                NSError(domain: "deep", code: 1, userInfo: [NSUnderlyingErrorKey: error])
            }
        }
        let error = chain()
        let handler = ErrorHandler().on(error) { _ in .stop }
        expect(handler.handleSynchronously(error)?.isHandled, equals: true)
        expect(handler.handleSynchronously(chain())?.isHandled, equals: false)
    }

    @Test("a value rule takes a user info with more in it than is looked at")
    func largeUserInfo() {
        func error() -> NSError { NSError(domain: "large", code: 1, userInfo: ["numbers": Array(0..<100_000)]) }
        let first = error()
        let handler = ErrorHandler().on(first) { _ in .stop }
        expect(handler.handleSynchronously(first)?.isHandled, equals: true)
    }

    /// An error that dispatches itself whenever it is asked anything.
    private struct Eager: Error, Hashable {
        let number = 1
        static func == (one: Eager, other: Eager) -> Bool { ask(); return one.number == other.number }
        func hash(into hasher: inout Hasher) { Self.ask(); hasher.combine(number) }
        static let asked = Journal<Void>()
        private static func ask() {
            asked.note(())
            _ = RecursionTests.eagerHandler.handleSynchronously(Eager())
        }
    }

    private static let eagerHandler: ErrorHandler = ErrorHandler()
        .on(matching: .any.where { _ in eagerHandler.handleSynchronously(Zoo.Offline())?.isHandled == true }) { _ in
            .stop
        }
        .on(Zoo.Timeout()) { _ in .stop }
        .on(Eager()) { _ in .stop }

    @Test("a predicate that dispatches the very error that it is asked about comes to an end")
    func predicate() {
        #expect(Self.eagerHandler.handleSynchronously(Zoo.Offline()) != nil)
        expect(Self.eagerHandler.explain(Zoo.Offline()).entries.count, equals: 3)
    }

    @Test("an == and a hash that dispatch their own error come to an end")
    func equality() {
        #expect(Self.eagerHandler.handleSynchronously(Eager()) != nil)
        #expect(!Eager.asked.entries.isEmpty)
    }

    /// An error that asks the library about itself when it is asked what is under it.
    private struct Curious: UnderlyingErrors {
        var underlyingErrors: [any Error] {
            let timeout = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
            return [timeout.match(Curious()) ?? Zoo.Timeout(seconds: 2), Zoo.Offline()]
        }
    }

    @Test("an error that looks for what is under it in what is under it comes to an end")
    func underlyingErrors() {
        #expect(ErrorMatcher.anywhere(.type(Zoo.Offline.self)).match(Curious()) != nil)
        expect(ErrorMatcher.anywhere(.type(Zoo.Timeout.self)).match(Curious())?.seconds, equals: 2)
    }
}
