import ErrorRouting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Promise 7: value(v) matches an error of the same dynamic type that equals v", .tags(.promise7), .hangLimit)
struct MatchingValueTests {}

extension MatchingValueTests {
    /// A class whose objects are equal if their keys are, regardless of their class.
    private class Base: Error, Equatable, @unchecked Sendable {
        let key: Int

        init(_ key: Int) { self.key = key }

        static func == (one: Base, other: Base) -> Bool { one.key == other.key }
    }

    private final class Derived: Base, @unchecked Sendable {}

    /// An error that is equal to every error of its type.
    private struct Wildcard: Error, Equatable {
        var note: String

        static func == (one: Wildcard, other: Wildcard) -> Bool { true }
    }

    // Immutable, like `NSError` itself; equal by its domain alone.
    private final class Coarse: NSError, @unchecked Sendable {
        override func isEqual(_ object: Any?) -> Bool { (object as? Coarse)?.domain == domain }
    }

    // Immutable, like `NSError` itself. It doesn't equal anything, not even itself.
    private final class Unequal: NSError, @unchecked Sendable {
        override func isEqual(_ object: Any?) -> Bool { false }
    }

    private static let derived: Base = Derived(1)
    private static let bridged = URLError(.timedOut) as NSError

    #if canImport(Darwin)
        private static let becomesObjectInBox = true
    #else
        private static let becomesObjectInBox = false
    #endif

    private static let cases: [MatchCase] = [
        .init("the same payload", .value(Zoo.Payment.declined(code: 51)), Zoo.Payment.declined(code: 51)),
        .not("another payload", .value(Zoo.Payment.declined(code: 51)), Zoo.Payment.declined(code: 52)),
        .not("another case", .value(Zoo.Payment.declined(code: 51)), Zoo.Payment.expired),
        .init("an enum that cannot be hashed", .value(Zoo.Shade.dark(3)), Zoo.Shade.dark(3)),
        .not("another of its values", .value(Zoo.Shade.dark(3)), Zoo.Shade.dark(4)),
        .init("a struct that cannot be hashed", .value(Zoo.Timeout(seconds: 3)), Zoo.Timeout(seconds: 3)),
        .not("another of its values", .value(Zoo.Timeout(seconds: 3)), Zoo.Timeout(seconds: 4)),
        .not("another struct", .value(Zoo.Timeout()), Zoo.Offline()),
        .not("an enum", .value(Zoo.Timeout()), Zoo.Payment.expired),
        .not("what is under an error", .value(Zoo.Timeout()), Zoo.Group(underlyingErrors: [Zoo.Timeout()])),
        .init("a class", .value(Base(1)), Base(1)),
        .not("another object of it", .value(Base(1)), Base(2)),
        .not("a subclass, though == compares it", .value(Base(1)), Derived(1)),
        .init("a subclass behind its superclass", .value(derived), Derived(1)),
        .not("another object of the subclass", .value(derived), Derived(2)),
        .not("the superclass", .value(derived), Base(1)),
        .not("what does not equal itself", .value(Zoo.Reading(value: .nan)), Zoo.Reading(value: .nan)),
        .not("that of a value that does", .value(Zoo.Reading(value: 0)), Zoo.Reading(value: .nan)),
        .init("what == says equals another", .value(Zoo.Reading(value: 0)), Zoo.Reading(value: -0.0)),
        .init("a Swift error for its NSError", .value(bridged), matches: becomesObjectInBox, URLError(.timedOut)),
        .init("an NSError for its Swift error", .value(URLError(.timedOut)), bridged),
        .init("a file's", .value(CocoaError(.fileNoSuchFile)), NSError(domain: NSCocoaErrorDomain, code: 4)),
        .init("the system's", .value(POSIXError(.ENOENT)), NSError(domain: NSPOSIXErrorDomain, code: 2)),
        .not("one with another code", .value(POSIXError(.ENOENT)), NSError(domain: NSPOSIXErrorDomain, code: 1)),
        .not("one of another domain", .value(POSIXError(.ENOENT)), NSError(domain: "d", code: 2)),
        .not(
            "one with a user info", .value(URLError(.timedOut)),
            NSError(domain: NSURLErrorDomain, code: -1001, userInfo: ["k": "v"])),
        .init("an NSError for the same NSError", .value(bridged), NSError(domain: NSURLErrorDomain, code: -1001)),
        .not("an enum for its NSError", .value(Zoo.Payment.expired as NSError), Zoo.Payment.expired),
        .init("a URLError", .value(URLError(.timedOut)), URLError(.timedOut)),
        .not("another URLError", .value(URLError(.timedOut)), URLError(.cancelled)),
        .init("a CocoaError", .value(CocoaError(.fileNoSuchFile)), CocoaError(.fileNoSuchFile)),
        .not("another CocoaError", .value(CocoaError(.fileNoSuchFile)), CocoaError(.fileLocking)),
        .init("a POSIXError", .value(POSIXError(.ENOENT)), POSIXError(.ENOENT)),
        .not("another POSIXError", .value(POSIXError(.ENOENT)), POSIXError(.EACCES)),
    ]

    @Test(
        "value(v) matches and outputs errors that equal v and have its dynamic type, even if they aren't hashable",
        .onLinux("on Darwin a boxed URLError, CocoaError or POSIXError is an NSError")
    )
    func values() {
        for example in Self.cases { example.check() }
        let matcher = ErrorMatcher.value(Wildcard(note: "rule"))
        expect(matcher.match(Wildcard(note: "error"))?.note, equals: "error")
    }

    @Test("NSErrors are compared with isEqual: by domain, code, and user info, or as a subclass defines")
    func nsErrors() {
        func error(_ domain: String = "d", _ code: Int = 1, _ userInfo: [String: Any] = ["k": "v"]) -> NSError {
            NSError(domain: domain, code: code, userInfo: userInfo)
        }
        let matcher = ErrorMatcher.value(error())
        let other = error()
        #expect(matcher.match(other) === other)
        expectNil(matcher.match(error("e")))
        expectNil(matcher.match(error("d", 2)))
        expectNil(matcher.match(error("d", 1, [:])))
        expectNil(matcher.match(error("d", 1, ["k": "w"])))

        let (one, another) = (Coarse(domain: "d", code: 1), Coarse(domain: "d", code: 1, userInfo: ["k": "v"]))
        #expect(one.isEqual(another))
        #expect(ErrorMatcher.value(one).match(another) === another)
        expectNil(ErrorMatcher.value(one).match(Coarse(domain: "e", code: 1)))
        let unequal = Unequal(domain: "d", code: 1)
        #expect(!unequal.isEqual(unequal))
        expectNil(ErrorMatcher.value(unequal).match(unequal))
    }

    @Test("NSErrors are compared without a crash if one or both have error objects in an array")
    func nsErrorWithErrorObjects() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            func error() -> NSError {
                let under: [any Error] = [Zoo.Owl()]
                return NSError(domain: "d", code: 1, userInfo: ["NSMultipleUnderlyingErrorsKey": under])
            }
            precondition(ErrorMatcher.value(NSError(domain: "d", code: 1)).match(error()) == nil)
            precondition(ErrorMatcher.value(error()).match(error()) == nil)
            let loading = URLError(.timedOut, userInfo: error().userInfo)
            precondition(ErrorMatcher.value(URLError(.timedOut)).match(loading) == nil)
            _ = ErrorMatcher.value(loading).match(URLError(.timedOut, userInfo: error().userInfo))
        }
    }

    #if os(Linux)
        @Test("a user info with 63 nested arrays is searched for errors, and one with 64 equals only itself")
        func nestedUserInfo() {
            func error(_ count: Int) -> NSError {
                let value = (0..<count).reduce("v" as any Sendable) { inner, _ in [inner] }
                return NSError(domain: "d", code: 1, userInfo: ["k": value])
            }
            #expect(ErrorMatcher.value(error(63)).match(error(63)) != nil)
            expectNil(ErrorMatcher.value(error(64)).match(error(64)))
            let same = error(64)
            #expect(ErrorMatcher.value(same).match(same) === same)
        }
    #endif

    @Test("on(v), ignore(v) and a map's on(v) match as value(v) does")
    func verbs() async {
        let handler = ErrorHandler().on(Zoo.Payment.expired) { _ in .next }.ignore(Zoo.Payment.unavailable)
        let map = ErrorMap(default: 0).on(Zoo.Payment.expired, 1).on(Zoo.Payment.unavailable) { _ in 2 }
        let errors: [Zoo.Payment] = [.declined(code: 1), .expired, .unavailable]
        var dispositions: [HandleOutcome.Disposition] = []
        for error in errors { dispositions.append(await handler.handle(error).disposition) }
        expect(dispositions, equals: [.unmatched, .handled, .ignored])
        expect(errors.map { map[$0] }, equals: [0, 1, 2])
    }

    @Test("rules for Foundation's values match NSErrors in order, and a rule for a Swift error's NSError is tried")
    func bridgedVerbs() {
        let handler = ErrorHandler()
            .on(URLError(.timedOut)) { error in error.code == .timedOut ? .stop : .next }
            .ignore(CocoaError(.fileNoSuchFile))
            .on(POSIXError(.EPERM)) { _ in .next }
            .on(Zoo.Payment.expired as NSError) { $0.domain.isEmpty ? .next : .stop }
        let errors: [any Error] = [
            URLError(.timedOut), NSError(domain: NSURLErrorDomain, code: -1001), CocoaError(.fileNoSuchFile),
            NSError(domain: NSCocoaErrorDomain, code: 4), POSIXError(.EPERM), POSIXError(.ENOENT), Zoo.Payment.expired,
        ]
        let expected: [HandleOutcome.Disposition] = [
            .handled, .handled, .ignored, .ignored, .handled, .unmatched, .unmatched,
        ]
        // Try without a plan for the type and with a plan.
        for _ in 0..<4 {
            expect(errors.compactMap { handler.handleSynchronously($0)?.disposition }, equals: expected)
        }
    }

    @Test("many values of one type keep the order of their rules and don't shadow each other")
    func manyValues() async {
        let trace = ActionTrace()
        var handler = ErrorHandler()
        for code in 0..<50 {
            handler = handler.on(Zoo.Payment.declined(code: code % 25)) { _ in trace("\(code)") }
        }
        await handler.handle(Zoo.Payment.declined(code: 7))
        expect(trace.takeAll(), equals: ["32", "7"])
        await handler.handle(Zoo.Payment.declined(code: 25))
        expect(trace.entries, equals: [])
    }

    /// An error whose `==` and hash change each time, so that a dictionary would trap on it.
    private struct Moody: Error, Hashable {
        private static let moods = Locked(SplitMix64(seed: 1))
        private static func mood(_ range: Range<Int>) -> Int { moods.withLock { Int.random(in: range, using: &$0) } }
        static func == (one: Moody, other: Moody) -> Bool { mood(0..<2) == 0 }
        func hash(into hasher: inout Hasher) { hasher.combine(Self.mood(0..<3)) }
    }

    @Test("values with an unreliable == and hash are still looked up")
    func moodyValues() {
        for _ in 0..<100 {
            let handler = (0..<16).reduce(ErrorHandler()) { handler, _ in handler.on(Moody()) { _ in .next } }
            for _ in 0..<10 {
                let outcome = handler.handleSynchronously(Moody())
                #expect((0...16).contains(outcome?.matchedRuleCount ?? -1))
            }
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

    /// An error that equals every pattern, although a pattern doesn't equal any other error.
    private struct Sample: Error, Hashable {
        var number = 0
        var isPattern = false

        static func == (one: Sample, other: Sample) -> Bool {
            other.isPattern || one.number == other.number && !one.isPattern
        }
        func hash(into hasher: inout Hasher) {}
    }

    @Test("an error is compared with the value, not the other way round, by few rules and by many", arguments: [0, 9])
    func order(others: Int) {
        let pattern = Sample(number: 1, isPattern: true)
        let handler = (0..<others).reduce(ErrorHandler()) { handler, number in
            handler.on(matching: .type(Liar.self).where { $0.number == number }) { _ in .stop }
        }
        .on(pattern) { _ in .stop }
        expect(ErrorMatcher.value(pattern).match(Sample())?.number, equals: 0)
        expect(handler.explain(Sample()).disposition, equals: .handled)
        expect(handler.handleSynchronously(Sample())?.disposition, equals: .handled)
        expect(ErrorMap(default: 0).on(pattern, 1)[Sample()], equals: 1)
    }

    @Test("a value that doesn't equal itself never matches, at any entry point")
    func liars() {
        expectNil(ErrorMatcher.value(Liar(number: 1)).match(Liar(number: 2)))
        expectNil(ErrorMatcher.value(PlainLiar(number: 1)).match(PlainLiar(number: 2)))
        let handler = ErrorHandler().on(Liar(number: 1)) { _ in .stop }.on(PlainLiar(number: 1)) { _ in .stop }
        expect(handler.handleSynchronously(Liar(number: 2))?.isHandled, equals: false)
        expect(handler.handleSynchronously(PlainLiar(number: 2))?.isHandled, equals: false)
    }
}

/// An error that can be hashed only on the main actor, but compared anywhere.
private struct OnMainActor: Error, Equatable {
    static let hashes = Atomic(0)

    let number: Int
}

extension OnMainActor: @MainActor Hashable {
    @MainActor func hash(into hasher: inout Hasher) {
        Self.hashes.add(1, ordering: .relaxed)
        hasher.combine(number)
    }
}

@Suite("Promise 7: a value's rule doesn't call a `hash` that belongs to a global actor", .tags(.promise7), .hangLimit)
struct IsolatedHashTests {}

extension IsolatedHashTests {
    private static let handler = (0..<9).reduce(ErrorHandler()) { handler, number in
        handler.on(OnMainActor(number: number)) { _ in .stop }
    }

    @Test("the values are then compared one by one, even on the main actor")
    @MainActor
    func compared() async {
        let (handler, error) = (Self.handler, OnMainActor(number: 3))
        func isHandled() -> Bool { handler.handleSynchronously(error)?.disposition == .handled }
        // Try without a plan for the type and with a plan.
        for _ in 0..<3 { #expect(isHandled()) }
        await Task.detached { for _ in 0..<3 { expect(handler.handleSynchronously(error)?.isHandled, equals: true) } }
            .value
        expect(OnMainActor.hashes.load(ordering: .relaxed), equals: 0)
    }
}
