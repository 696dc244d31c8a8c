import BoundedDescriptions
import ErrorRoutingTesting
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Behaviour 24: errors and matchers may ask the library about the error that it is asking about",
    .tags(.behaviour24), .hangLimit)
struct SelfAskingErrorTests {}

extension SelfAskingErrorTests {
    private static let messages = ErrorMap(default: "Something went wrong")
        .on(Payment.self, "Payment failed")
        .on(domain: "payments", "Payments are down")

    /// An error whose description is looked up in a map, by the error itself.
    private struct Payment: LocalizedError {
        var errorDescription: String? { SelfAskingErrorTests.messages[self] }
    }

    private static let plain = ErrorMap(default: "none").on(Described.self, "described")

    private struct Described: LocalizedError {
        var errorDescription: String? { SelfAskingErrorTests.plain[self] }
        var failureReason: String? { SelfAskingErrorTests.plain[self] }
    }

    @Test("a description may look its own error up in a map")
    func descriptions() {
        expect(Self.plain[Described()], equals: "described")
        expect(Described().errorDescription, equals: "described")
        expect(Self.messages[Payment()], equals: "Payment failed")
        #expect(ErrorReport(error: Payment(), source: .init()).description.contains("Payment failed"))
    }

    private static let codes: ErrorHandler = ErrorHandler()
        .on(domain: "codes", code: 3) { _ in .stop }
        .on(URLError.self) { _ in .stop }

    private struct Coded: CustomNSError {
        static let errorDomain = "codes"
        var errorCode: Int { SelfAskingErrorTests.codes.handleSynchronously(self) == nil ? 0 : 3 }
        var errorUserInfo: [String: Any] { ["outcome": SelfAskingErrorTests.codes.explain(self).entries.count] }
    }

    private final class Object: NSError, @unchecked Sendable {
        override var code: Int { SelfAskingErrorTests.codes.handleSynchronously(self) == nil ? 0 : 3 }
    }

    @Test("a code may ask a handler about its own error, in a Swift error and in a subclass of NSError")
    func codes() {
        #expect(Self.codes.handleSynchronously(Coded()) != nil)
        #expect(Self.codes.handleSynchronously(Object(domain: "codes", code: 1)) != nil)
    }

    private struct Posting: Error, CustomNSError {
        var errorCode: Int {
            ErrorBus.current?.post(self)
            return 3
        }
    }

    @Test("a code may post its error while a flood limit asks for the code")
    func floodLimit() async {
        let configuration = ErrorBus.Configuration(floodLimit: FloodLimit(first: 1, per: .seconds(1)))
        let bus = await withErrorBus(handler: ErrorHandler(), configuration: configuration) { bus in
            bus.post(Posting())
            return bus
        }
        #expect(bus.statistics.posted <= 100 && bus.statistics.pending == 0)
    }

    private struct Counted: Error {}

    @Test("predicates that each dispatch the error again are asked some thousand times at most", arguments: [2, 8])
    func manyPredicates(rules: Int) {
        let asked = Journal<Void>()
        let here = Locked<ErrorHandler?>(nil)
        let matcher = ErrorMatcher.type(Counted.self).where { error in
            asked.note(())
            _ = here.withLock { $0 }?.handleSynchronously(error)
            return false
        }
        let handler = (0..<rules).reduce(ErrorHandler()) { handler, _ in handler.on(matching: matcher) { _ in .stop } }
        here.withLock { $0 = handler }
        _ = handler.handleSynchronously(Counted())
        #expect(asked.entries.count < 20_000)
        here.withLock { $0 = nil }
    }

    @Test("an explanation asks each of a thousand rules, as a dispatch does")
    func longExplanation() {
        let inner = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
        let handler = (0..<1_100).reduce(ErrorHandler()) { handler, _ in
            handler.on(matching: .predicate { inner.match($0) != nil }) { _ in .next }
        }
        let error = Zoo.Group(underlyingErrors: [Zoo.Timeout()])
        expect(handler.handleSynchronously(error)?.matchedRuleCount, equals: 1_100)
        expect(handler.explain(error).entries.count { $0.verdict != .notMatched }, equals: 1_100)
    }

    // Sound: nothing is ever at that address, and nothing follows it.
    @safe private struct Dangling: Error, @unchecked Sendable {
        let reference: Unmanaged<NSObject>
        let pointer: UnsafeRawPointer?
    }

    @Test("what is behind an address in a field is not looked at: it may be deallocated")
    func addresses() {
        let address = unsafe UnsafeRawPointer(bitPattern: 8)!
        let error = unsafe Dangling(reference: .fromOpaque(address), pointer: address)
        let report = ErrorReport(error: error, source: .init())
        expectNil(ErrorMatcher.anywhere(.type(Zoo.Timeout.self)).match(report.error))
        #expect(report.trail.isEmpty && !report.description.contains("0x"))
    }

    private struct Hidden: CustomNSError {}

    @Test("a private type's domain has no address in texts")
    func domains() {
        let line = ErrorReport(error: Hidden(), source: .init()).description
        #expect(!line.contains("unknown context") && line.contains("Hidden"))
        let handler = ErrorHandler().on(domain: (Hidden() as NSError).domain) { _ in .stop }
        #expect(!handler.description.contains("unknown context"))
        expect(handler.handleSynchronously(Hidden())?.isHandled, equals: true)
    }

    @Test("a set that cannot be printed whole is left out: which elements come first changes from run to run")
    func largeSets() {
        struct Holder: Error { var numbers: Set<Int>; var code = 1 }
        func text(_ count: Int) -> String { BoundedPrinter.text(of: Holder(numbers: Set(0..<count))) }
        expect(text(3), equals: "Holder(numbers: Set([0, 1, 2]), code: 1)")
        expect(text(5_000), equals: "Holder(numbers: Set([…")
    }

    @Test("a matcher made with the type of a subclass goes by its own type, at every door")
    func metatypes() {
        let subclass: Zoo.Animal.Type = Zoo.Bird.self
        let matcher = ErrorMatcher<Zoo.Animal>.type(subclass)
        for animal in [Zoo.Animal(), Zoo.Bird(), Zoo.Owl()] {
            #expect(matcher.match(animal) != nil)
            expect(
                ErrorHandler().on(matching: matcher) { _ in .stop }.handleSynchronously(animal)?.isHandled, equals: true
            )
            expect(ErrorMap(default: 0).on(matching: matcher, 1)[animal], equals: 1)
        }
    }

    private struct Liar: Error, Hashable {
        let number: Int
        static func == (one: Liar, other: Liar) -> Bool { one.number != other.number }
    }

    private struct PlainLiar: Error, Equatable {
        let number: Int
        static func == (one: PlainLiar, other: PlainLiar) -> Bool { one.number != other.number }
    }

    @Test("what does not equal itself never matches, at any door")
    func liars() {
        expectNil(ErrorMatcher.value(Liar(number: 1)).match(Liar(number: 2)))
        expectNil(ErrorMatcher.value(PlainLiar(number: 1)).match(PlainLiar(number: 2)))
        let handler = ErrorHandler().on(Liar(number: 1)) { _ in .stop }.on(PlainLiar(number: 1)) { _ in .stop }
        expect(handler.handleSynchronously(Liar(number: 2))?.isHandled, equals: false)
        expect(handler.handleSynchronously(PlainLiar(number: 2))?.isHandled, equals: false)
    }
}
