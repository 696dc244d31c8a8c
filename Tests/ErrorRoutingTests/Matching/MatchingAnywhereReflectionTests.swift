import ErrorRouting
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(
    "Promise 9: anywhere finds errors in fields and payloads if the error doesn't list them itself",
    .tags(.promise9), .hangLimit)
struct MatchingAnywhereReflectionTests {}

extension MatchingAnywhereReflectionTests {
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
        case named(code: Int, cause: Named.Swift.Int)
        case extended(String.Lazy<@Sendable (Int) -> Int>)
    }

    /// An error in a field, with a type name that resembles a number's.
    private enum Named {
        enum Swift {
            struct Int: Error { let cause: any Error }
        }
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

    private final class Speaking: UnderlyingErrorsProviding {
        let underlyingErrors: [any Error]
        init(_ cause: any Error) { underlyingErrors = [cause] }
    }

    /// A class that guards its state with a lock.
    private final class Locked: Error {
        let count = Mutex(0)
        let cause: any Error
        init(_ cause: any Error) { self.cause = cause }
    }

    private struct Pair: Error {
        var first: any Error
        var second: any Error
    }

    private static let timeout = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
    private static let inner = Zoo.Timeout(seconds: 7)
    private static let context = DecodingError.Context(
        codingPath: [], debugDescription: "", underlyingError: inner)

    private static let positions: [(name: String, error: any Error)] = [
        ("a field by its concrete type", Wrapper(field: inner)),
        ("a field as any Error", Wrapper<any Error>(field: inner)),
        ("a field of a field's field", Wrapper(field: Wrapper(field: Wrapper(field: inner)))),
        ("a single payload", Case.single(inner)),
        ("a labelled payload", Case.labelled(reason: inner)),
        ("one of several payloads", Case.tuple(1, inner)),
        ("one of several labelled payloads", Case.labelledTuple(code: 1, reason: inner)),
        ("under a payload that is called as a number is", Case.named(code: 1, cause: .init(cause: inner))),
        ("under a payload whose type is in an extension", Case.extended(.init(make: { $0 }, cause: inner))),
        ("an optional", Wrapper<(any Error)?>(field: inner)),
        ("optionals of any depth", Wrapper<Zoo.Timeout???>(field: inner)),
        ("an optional payload", Case.optional(inner)),
        ("an array, in its order", Wrapper<[any Error]>(field: [Zoo.Offline(), inner, Zoo.Timeout(seconds: 8)])),
        ("an array of optionals", Wrapper<[Zoo.Timeout?]?>(field: [nil, inner])),
        ("an array of arrays", Wrapper(field: [[Zoo.Timeout](), [inner]])),
        ("an array in a payload", Case.array(code: 1, [inner])),
        ("a class that says what is under it", Speaking(inner)),
        ("such a class in a field", Wrapper<any Error>(field: Speaking(inner))),
        ("a struct in between", Wrapper(field: Attempt(error: inner))),
        ("a tuple in between", Wrapper(field: (1, inner))),
        ("a labelled tuple in between", Wrapper(field: (number: 1, error: inner as any Error))),
        (
            "an array of structs in between",
            Wrapper(field: [Attempt(error: Zoo.Offline()), Attempt(error: inner)])
        ),
        ("an optional struct in between", Wrapper<Attempt?>(field: Attempt(error: inner))),
        ("a struct in between in a payload", Case.inBetween(Attempt(error: inner))),
        ("a struct in one of several payloads", Case.several(1, Attempt(error: inner))),
        (
            "an error in between, which may have one struct in between of its own",
            Wrapper(field: Attempt(error: Wrapper(field: Attempt(error: inner))))
        ),
        ("the first of two fields", Pair(first: inner, second: Zoo.Timeout(seconds: 1))),
        (
            "the field that is less deep, though it is the second",
            Pair(first: Wrapper(field: Zoo.Timeout(seconds: 1)), second: inner)
        ),
        ("corrupted data", DecodingError.dataCorrupted(context)),
        ("a type mismatch", DecodingError.typeMismatch(Int.self, context)),
        ("a missing value", DecodingError.valueNotFound(Int.self, context)),
        (
            "an invalid value",
            EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "", underlyingError: inner))
        ),
        (
            "keys under fields under UnderlyingErrorsProviding",
            Zoo.Group(underlyingErrors: [
                Wrapper<[any Error]>(field: [
                    NSError(domain: "d", code: 1, userInfo: [NSUnderlyingErrorKey: Case.tuple(1, inner)])
                ])
            ])
        ),
    ]

    @Test("an error is found in fields and payloads, through optionals, arrays, and one intermediate struct or tuple")
    func found() {
        for (name, error) in Self.positions { expect(Self.timeout.match(error), equals: Self.inner, "\(name)") }
    }

    private static let hidingPlaces: [(name: String, error: any Error)] = [
        ("a text", Wrapper(field: "Timeout(seconds: 7)")),
        ("a case without payload", Case.none),
        ("no error", Wrapper<(any Error)?>(field: nil)),
        ("nil of a concrete type", Wrapper<Zoo.Timeout?>(field: nil)),
        ("nil in a payload", Case.optional(nil)),
        ("an empty array", Wrapper<[any Error]>(field: [])),
        ("an object", Base(inner)),
        ("an object of a derived class", Derived(inner)),
        ("an object that guards its state", Locked(inner)),
        ("an actor", Acting(inner)),
        ("an object in a field", Wrapper<any Error>(field: Derived(inner))),
        ("structs in a struct", Wrapper(field: Log(attempts: [Attempt(error: inner)]))),
        ("a struct in a tuple", Wrapper(field: (1, Attempt(error: inner)))),
        ("a tuple in a tuple", Wrapper(field: (1, (2, inner)))),
        ("structs in a struct in a payload", Case.twoInBetween(Log(attempts: [Attempt(error: inner)]))),
        ("an object that is no error", Wrapper(field: Holder(inner))),
        ("an enum that is no error", Wrapper(field: Note.error(inner))),
        ("a dictionary", Wrapper(field: ["error": inner])),
        ("a context without error", DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))),
    ]

    @Test("no error is found in objects, or through two structs or tuples, other enums, or dictionaries")
    func notFound() { for (name, error) in Self.hidingPlaces { expectNil(Self.timeout.match(error), "\(name)") } }

    @Test("an actor can change while it is reported")
    func changingActor() async {
        let actor = Acting(Self.inner)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for number in 0..<2_000 { await actor.change(Zoo.Timeout(seconds: number)) } }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<500 {
                        expectNil(Self.timeout.match(actor))
                        _ = ErrorReport(error: Wrapper<any Error>(field: actor), source: .init()).trail
                    }
                }
            }
        }
    }
}

extension String {
    /// Its name begins like a tuple's.
    ///
    /// Except for the last character, it ends like the name of a tuple of numbers.
    fileprivate struct Lazy<Make: Sendable>: Error {
        let make: Make
        let cause: any Error
    }
}
