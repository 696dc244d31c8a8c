import ErrorRouting
import Foundation
import TestSupport
import Testing

/// `NSError` objects are tested in `MatchingBridgeTests`.
@Suite("Behaviour 6: type(E) matches by dynamic type", .tags(.behaviour6))
struct MatchingTypeTests {
    @Test("type(E) matches a struct of exactly that type and hands it on")
    func structs() {
        let matcher = ErrorMatcher.type(Zoo.Timeout.self)
        expect(matcher.match(Zoo.Timeout(seconds: 5)), equals: Zoo.Timeout(seconds: 5))
        #expect(matcher.match(Zoo.Offline()) == nil)
        #expect(matcher.match(Zoo.Payment.expired) == nil)
    }

    @Test("type(E) matches every case of an enum, comparable or not")
    func enums() {
        let payment = ErrorMatcher.type(Zoo.Payment.self)
        for error in [Zoo.Payment.declined(code: 51), .expired, .unavailable] {
            expect(payment.match(error), equals: error)
        }
        #expect(payment.match(Zoo.Shade.light) == nil)
        let opaque = ErrorMatcher.type(Zoo.Opaque.self)
        #expect(opaque.match(Zoo.Opaque.plain) != nil)
        #expect(opaque.match(Zoo.Opaque.coded(1)) != nil)
        #expect(opaque.match(Zoo.Payment.expired) == nil)
    }

    @Test("type(E) matches a class and its subclasses, at any depth, not its superclasses or siblings")
    func classes() {
        let (animal, bird, owl) = (Zoo.Animal(), Zoo.Bird(), Zoo.Owl())
        let errors: [any Error] = [animal, bird, owl, Zoo.Offline()]
        expect(errors.map { ErrorMatcher.type(Zoo.Animal.self).match($0) != nil }, equals: [true, true, true, false])
        expect(errors.map { ErrorMatcher.type(Zoo.Bird.self).match($0) != nil }, equals: [false, true, true, false])
        expect(errors.map { ErrorMatcher.type(Zoo.Owl.self).match($0) != nil }, equals: [false, false, true, false])
    }

    @Test("type(E) hands on the same object, as the class that was asked for")
    func sameObject() throws {
        let owl = Zoo.Owl("Strix")
        let found: Zoo.Animal = try #require(ErrorMatcher.type(Zoo.Animal.self).match(owl))
        #expect(found === owl)
    }

    @Test("type(E) looks at the dynamic type, whatever the static one")
    func dynamicType() {
        let asAnimal: Zoo.Animal = Zoo.Owl()
        let asError: any Error = Zoo.Box<any Error>(content: Zoo.Timeout())
        #expect(ErrorMatcher.type(Zoo.Owl.self).match(asAnimal) != nil)
        #expect(ErrorMatcher.type(Zoo.Box<any Error>.self).match(asError) != nil)
    }

    @Test("type(E) tells the specialisations of a generic error apart")
    func generics() {
        let ints = ErrorMatcher.type(Zoo.Box<Int>.self)
        expect(ints.match(Zoo.Box(content: 1))?.content, equals: 1)
        #expect(ints.match(Zoo.Box(content: "1")) == nil)
        #expect(ints.match(Zoo.Box<Int?>(content: 1)) == nil)
    }

    @Test("type(E) tells types of the same name apart")
    func sameName() {
        enum Local { struct Timeout: Error {} }
        #expect(ErrorMatcher.type(Local.Timeout.self).match(Zoo.Timeout()) == nil)
        #expect(ErrorMatcher.type(Local.Timeout.self).match(Local.Timeout()) != nil)
    }

    @Test("type(E) does not look under an error")
    func notUnderneath() {
        let outer = Zoo.Group(underlyingErrors: [Zoo.Timeout()])
        #expect(ErrorMatcher.type(Zoo.Timeout.self).match(outer) == nil)
    }

    @Test("type((any Error).self) matches every error")
    func anyError() {
        let matcher = ErrorMatcher.type((any Error).self)
        #expect(matcher.match(Zoo.Timeout()) is Zoo.Timeout)
        #expect(matcher.match(NSError(domain: "d", code: 1)) != nil)
    }

    @Test("errors of the standard library and of Foundation are matched by their types")
    func libraryErrors() {
        let context = DecodingError.Context(codingPath: [], debugDescription: "")
        #expect(ErrorMatcher.type(DecodingError.self).match(DecodingError.dataCorrupted(context)) != nil)
        #expect(ErrorMatcher.type(CancellationError.self).match(CancellationError()) != nil)
        #expect(ErrorMatcher.type(CancellationError.self).match(Zoo.Offline()) == nil)
        expect(ErrorMatcher.type(URLError.self).match(URLError(.timedOut))?.code, equals: .timedOut)
        expect(ErrorMatcher.type(CocoaError.self).match(CocoaError(.fileNoSuchFile))?.code, equals: .fileNoSuchFile)
        expect(ErrorMatcher.type(POSIXError.self).match(POSIXError(.ENOENT))?.code, equals: .ENOENT)
        #expect(ErrorMatcher.type(POSIXError.self).match(CocoaError(.fileNoSuchFile)) == nil)
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
