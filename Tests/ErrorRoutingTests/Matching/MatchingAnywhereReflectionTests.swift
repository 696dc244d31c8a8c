import ErrorRouting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(
    "Behaviour 9: anywhere finds errors in fields and payloads where the error does not name them itself",
    .tags(.behaviour9))
struct MatchingAnywhereReflectionTests {
    private struct Wrapper<Field: Sendable>: Error { var field: Field }

    private enum Case: Error {
        case single(any Error)
        case labelled(reason: any Error)
        case tuple(Int, any Error)
        case labelledTuple(code: Int, reason: any Error)
        case optional((any Error)?)
        case array(code: Int, [any Error])
        case inBetween(Attempt)
        case several(Int, Attempt)
        case twoInBetween(Log)
        case none
    }

    private struct Attempt { var number = 1; var error: any Error }
    private struct Log { var attempts: [Attempt] }
    private enum Note { case error(any Error) }
    private final class Holder: Sendable {
        let error: any Error
        init(_ error: any Error) { self.error = error }
    }

    // Immutable, so safe to share.
    private class Base: Error, @unchecked Sendable {
        let cause: any Error
        init(_ cause: any Error) { self.cause = cause }
    }

    private final class Derived: Base, @unchecked Sendable { let note = "derived" }

    private actor Acting: Error {
        var cause: any Error
        init(_ cause: any Error) { self.cause = cause }
        func change(_ cause: any Error) { self.cause = cause }
    }

    private final class Speaking: UnderlyingErrors {
        let underlyingErrors: [any Error]
        init(_ cause: any Error) { underlyingErrors = [cause] }
    }

    /// A class that guards its state.
    private final class Locked: Error {
        let count = Mutex(0)
        let cause: any Error
        init(_ cause: any Error) { self.cause = cause }
    }

    private let timeout = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
    private let inner = Zoo.Timeout(seconds: 7)

    private func expectFound(_ error: any Error, sourceLocation: SourceLocation = #_sourceLocation) {
        expect(timeout.match(error), equals: inner, sourceLocation: sourceLocation)
    }

    private func expectNotFound(_ error: any Error, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(timeout.match(error) == nil, sourceLocation: sourceLocation)
    }

    @Test("a field of a struct is found, by its concrete type or as any Error")
    func fields() {
        expectFound(Wrapper(field: inner))
        expectFound(Wrapper<any Error>(field: inner))
        expectFound(Wrapper(field: Wrapper(field: Wrapper(field: inner))))
        expectNotFound(Wrapper(field: "Timeout(seconds: 7)"))
    }

    @Test("the payload of an enum's case is found: single, labelled, and among several")
    func payloads() {
        expectFound(Case.single(inner))
        expectFound(Case.labelled(reason: inner))
        expectFound(Case.tuple(1, inner))
        expectFound(Case.labelledTuple(code: 1, reason: inner))
        expectNotFound(Case.none)
    }

    @Test("errors are found through optionals, of any depth, and nil is passed over")
    func optionals() {
        expectFound(Wrapper<(any Error)?>(field: inner))
        expectFound(Wrapper<Zoo.Timeout???>(field: inner))
        expectFound(Case.optional(inner))
        expectNotFound(Wrapper<(any Error)?>(field: nil))
        expectNotFound(Wrapper<Zoo.Timeout?>(field: nil))
        expectNotFound(Case.optional(nil))
    }

    @Test("errors are found in arrays, in their order, of optionals and of arrays too")
    func arrays() {
        expectFound(Wrapper<[any Error]>(field: [Zoo.Offline(), inner, Zoo.Timeout(seconds: 8)]))
        expectFound(Wrapper<[Zoo.Timeout?]?>(field: [nil, inner]))
        expectFound(Wrapper(field: [[Zoo.Timeout](), [inner]]))
        expectFound(Case.array(code: 1, [inner]))
        expectNotFound(Wrapper<[any Error]>(field: []))
    }

    @Test("nothing with an identity is looked into: no object, whatever its class, and no actor")
    func identities() {
        expectNotFound(Base(inner))
        expectNotFound(Derived(inner))
        expectNotFound(Locked(inner))
        expectNotFound(Acting(inner))
        expectNotFound(Wrapper<any Error>(field: Derived(inner)))
    }

    @Test("a class that says what is under it is followed")
    func speakingClass() {
        expectFound(Speaking(inner))
        expectFound(Wrapper<any Error>(field: Speaking(inner)))
    }

    @Test("an actor may change while it is reported")
    func changingActor() async {
        let actor = Acting(inner)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for number in 0..<2_000 { await actor.change(Zoo.Timeout(seconds: number)) } }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<500 {
                        self.expectNotFound(actor)
                        _ = ErrorReport(error: Wrapper<any Error>(field: actor), source: .init()).trail
                    }
                }
            }
        }
    }

    @Test("one struct or tuple in between is looked through, in fields and in payloads")
    func oneInBetween() {
        expectFound(Wrapper(field: Attempt(error: inner)))
        expectFound(Wrapper(field: (1, inner)))
        expectFound(Wrapper(field: (number: 1, error: inner as any Error)))
        expectFound(Wrapper(field: [Attempt(error: Zoo.Offline()), Attempt(error: inner)]))
        expectFound(Wrapper<Attempt?>(field: Attempt(error: inner)))
        expectFound(Case.inBetween(Attempt(error: inner)))
        expectFound(Case.several(1, Attempt(error: inner)))
    }

    @Test("two structs or tuples in between are not looked through")
    func twoInBetween() {
        expectNotFound(Wrapper(field: Log(attempts: [Attempt(error: inner)])))
        expectNotFound(Wrapper(field: (1, Attempt(error: inner))))
        expectNotFound(Wrapper(field: (1, (2, inner))))
        expectNotFound(Case.twoInBetween(Log(attempts: [Attempt(error: inner)])))
    }

    @Test("an error in between begins anew: what is in it may have one struct in between of its own")
    func errorsBeginAnew() {
        expectFound(Wrapper(field: Attempt(error: Wrapper(field: Attempt(error: inner)))))
    }

    @Test("neither objects, nor enums that are no errors, nor dictionaries are looked through")
    func notLookedThrough() {
        expectNotFound(Wrapper(field: Holder(inner)))
        expectNotFound(Wrapper(field: Note.error(inner)))
        expectNotFound(Wrapper(field: ["error": inner]))
    }

    @Test("the underlying error in the context of a DecodingError or an EncodingError is found")
    func codingErrors() {
        let context = DecodingError.Context(codingPath: [], debugDescription: "", underlyingError: inner)
        expectFound(DecodingError.dataCorrupted(context))
        expectFound(DecodingError.typeMismatch(Int.self, context))
        expectFound(DecodingError.valueNotFound(Int.self, context))
        expectNotFound(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")))
        let encoding = EncodingError.Context(codingPath: [], debugDescription: "", underlyingError: inner)
        expectFound(EncodingError.invalidValue(1, encoding))
    }

    @Test("the ways mix: keys under fields under UnderlyingErrors")
    func mixed() {
        let keyed = NSError(domain: "d", code: 1, userInfo: [NSUnderlyingErrorKey: Case.tuple(1, inner)])
        expectFound(Zoo.Group(underlyingErrors: [Wrapper<[any Error]>(field: [keyed])]))
    }

    @Test("fields come in the order of their declaration, breadth first")
    func order() {
        struct Pair: Error {
            var first: any Error
            var second: any Error
        }
        let deep = Wrapper(field: Zoo.Timeout(seconds: 1))
        expect(timeout.match(Pair(first: deep, second: inner)), equals: inner)
        expect(timeout.match(Pair(first: inner, second: Zoo.Timeout(seconds: 1))), equals: inner)
    }
}
