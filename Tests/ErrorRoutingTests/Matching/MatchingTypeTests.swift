import ErrorRouting
import Foundation
import TestSupport
import Testing

/// `NSError` objects are tested in `MatchingBridgeTests`.
@Suite("Promise 6: type(E) matches by dynamic type", .tags(.promise6), .hangLimit)
struct MatchingTypeTests {}

extension MatchingTypeTests {
    private enum Local { struct Timeout: Error {} }

    private static let cases: [MatchCase] = [
        .init("a struct", .type(Zoo.Timeout.self), Zoo.Timeout(seconds: 5)),
        .not("another struct", .type(Zoo.Timeout.self), Zoo.Offline()),
        .not("an enum's case", .type(Zoo.Timeout.self), Zoo.Payment.expired),
        .init("a case with a payload", .type(Zoo.Payment.self), Zoo.Payment.declined(code: 51)),
        .init("a case", .type(Zoo.Payment.self), Zoo.Payment.expired),
        .not("another enum's case", .type(Zoo.Payment.self), Zoo.Shade.light),
        .init("a case that cannot be compared", .type(Zoo.Opaque.self), Zoo.Opaque.plain),
        .init("a payload that cannot be compared", .type(Zoo.Opaque.self), Zoo.Opaque.coded(1)),
        .not("a case of another enum", .type(Zoo.Opaque.self), Zoo.Payment.expired),
        .init("a subclass behind its superclass", .type(Zoo.Owl.self), Zoo.Owl() as Zoo.Animal),
        .init("a generic of errors", .type(Zoo.Box<any Error>.self), Zoo.Box<any Error>(content: Zoo.Timeout())),
        .init("a specialisation of a generic", .type(Zoo.Box<Int>.self), Zoo.Box(content: 1)),
        .not("another specialisation", .type(Zoo.Box<Int>.self), Zoo.Box(content: "1")),
        .not("a specialisation with an optional", .type(Zoo.Box<Int>.self), Zoo.Box<Int?>(content: 1)),
        .not("a type of the same name", .type(Local.Timeout.self), Zoo.Timeout()),
        .init("that type itself", .type(Local.Timeout.self), Local.Timeout()),
        .not("what is under an error", .type(Zoo.Timeout.self), Zoo.Group(underlyingErrors: [Zoo.Timeout()])),
        .init("any Error, for a Swift error", .type((any Error).self), Zoo.Timeout()),
        .init("any Error, for an NSError", .type((any Error).self), NSError(domain: "d", code: 1)),
        .init("a decoding error", .type(DecodingError.self), DecodingError.dataCorrupted(context)),
        .init("a cancellation", .type(CancellationError.self), CancellationError()),
        .not("no cancellation", .type(CancellationError.self), Zoo.Offline()),
        .not("an error of Cocoa", .type(POSIXError.self), CocoaError(.fileNoSuchFile)),
    ]
    private static let context = DecodingError.Context(codingPath: [], debugDescription: "")

    @Test("type(E) matches errors of exactly that type, whatever their static type, names, and contents")
    func types() { for example in Self.cases { example.check() } }

    @Test("type(E) outputs the matched error, an object as the requested class")
    func handsOn() {
        expect(ErrorMatcher.type(Zoo.Timeout.self).match(Zoo.Timeout(seconds: 5)), equals: Zoo.Timeout(seconds: 5))
        for error in [Zoo.Payment.declined(code: 51), .expired, .unavailable] {
            expect(ErrorMatcher.type(Zoo.Payment.self).match(error), equals: error)
        }
        expect(ErrorMatcher.type(Zoo.Box<Int>.self).match(Zoo.Box(content: 1))?.content, equals: 1)
        #expect(ErrorMatcher.type((any Error).self).match(Zoo.Timeout()) is Zoo.Timeout)
        expect(ErrorMatcher.type(URLError.self).match(URLError(.timedOut))?.code, equals: .timedOut)
        expect(ErrorMatcher.type(CocoaError.self).match(CocoaError(.fileNoSuchFile))?.code, equals: .fileNoSuchFile)
        expect(ErrorMatcher.type(POSIXError.self).match(POSIXError(.ENOENT))?.code, equals: .ENOENT)
        let owl = Zoo.Owl("Strix")
        let found: Zoo.Animal? = ErrorMatcher.type(Zoo.Animal.self).match(owl)
        #expect(found === owl)
    }

    @Test("type(E) matches a class and its subclasses, but not its superclasses or siblings; E is the type as written")
    func classes() {
        let (animal, bird, owl) = (Zoo.Animal(), Zoo.Bird(), Zoo.Owl())
        let errors: [any Error] = [animal, bird, owl, Zoo.Offline()]
        expect(errors.map { ErrorMatcher.type(Zoo.Animal.self).match($0) != nil }, equals: [true, true, true, false])
        expect(errors.map { ErrorMatcher.type(Zoo.Bird.self).match($0) != nil }, equals: [false, true, true, false])
        expect(errors.map { ErrorMatcher.type(Zoo.Owl.self).match($0) != nil }, equals: [false, false, true, false])

        let subclass: Zoo.Animal.Type = Zoo.Bird.self
        let matcher = ErrorMatcher<Zoo.Animal>.type(subclass)
        for animal in [animal, bird, owl] {
            #expect(matcher.match(animal) != nil)
            expect(
                ErrorHandler().on(matching: matcher) { _ in .stop }.handleSynchronously(animal)?.isHandled, equals: true
            )
            expect(ErrorMap(default: 0).on(matching: matcher, 1)[animal], equals: 1)
        }
    }

    @Test("on(E.self), ignore(E.self) and a map's on(E.self) match as type(E) does")
    func verbs() async {
        let trace = ActionTrace()
        let handler = ErrorHandler().on(Zoo.Bird.self) { error in trace(error.name) }.ignore(Zoo.Owl.self)
        let map = ErrorMap(default: 0).on(Zoo.Bird.self, 1)
        let errors: [any Error] = [Zoo.Animal("animal"), Zoo.Bird("bird"), Zoo.Owl("owl")]
        var dispositions: [HandleOutcome.Disposition] = []
        for error in errors { dispositions.append(await handler.handle(error).disposition) }
        expect(dispositions, equals: [.unmatched, .handled, .ignored])
        expect(trace.entries, equals: ["bird"])
        expect(errors.map { map[$0] }, equals: [0, 1, 1])
    }
}
