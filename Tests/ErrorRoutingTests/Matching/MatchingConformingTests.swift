import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("Behaviour 10: errors are matched by protocol, by part and by predicate", .tags(.behaviour10))
struct MatchingConformingTests {
    private protocol Retryable: Sendable { var delay: Int { get } }
    private protocol Described: AnyObject, Sendable {}
    private class Machine: @unchecked Sendable {}  // Has no state.

    private struct Busy: Error, Retryable, Hashable { var delay = 3 }
    private enum Remote: LocalizedError, Retryable {
        case down
        var delay: Int { 60 }
        var errorDescription: String? { "down" }
    }
    private final class Jam: Machine, Error, Described, @unchecked Sendable {}  // Has no state.

    // MARK: conforming(to:)

    @Test("conforming(to:) matches structs, enums and classes that conform, and hands them on as the protocol")
    func protocols() {
        let retryable = ErrorMatcher.conforming(to: (any Retryable).self)
        expect(retryable.match(Busy(delay: 5))?.delay, equals: 5)
        expect(retryable.match(Remote.down)?.delay, equals: 60)
        #expect(retryable.match(Zoo.Offline()) == nil)
        #expect(ErrorMatcher.conforming(to: (any Described).self).match(Jam()) != nil)
        #expect(ErrorMatcher.conforming(to: (any Described).self).match(Busy()) == nil)
    }

    @Test("conforming(to:) takes the protocols of Foundation and compositions")
    func foundationProtocols() {
        let localized = ErrorMatcher.conforming(to: (any LocalizedError).self)
        expect(localized.match(Zoo.Localized(errorDescription: "text"))?.errorDescription, equals: "text")
        #expect(localized.match(Zoo.Offline()) == nil)
        #expect(localized.match(NSError(domain: "d", code: 1)) == nil)
        let both = ErrorMatcher.conforming(to: (any LocalizedError & Retryable).self)
        #expect(both.match(Remote.down) != nil)
        #expect(both.match(Zoo.Localized()) == nil)
        #expect(both.match(Busy()) == nil)
        expect(ErrorMatcher.conforming(to: (any CustomNSError).self).match(Zoo.Foreign())?.errorCode, equals: 7)
        #expect(ErrorMatcher.conforming(to: (any Hashable & Sendable).self).match(Busy()) != nil)
        #expect(ErrorMatcher.conforming(to: (any Hashable & Sendable).self).match(Zoo.Timeout()) == nil)
    }

    @Test("conforming(to:) takes a superclass that is no error itself")
    func superclass() {
        let jam = Jam()
        #expect(ErrorMatcher.conforming(to: Machine.self).match(jam) === jam)
        #expect(ErrorMatcher.conforming(to: Machine.self).match(Zoo.Owl()) == nil)
    }

    @Test("conforming(to:) a concrete error type behaves as type")
    func concreteTypes() {
        expect(ErrorMatcher.conforming(to: Zoo.Timeout.self).match(Zoo.Timeout(seconds: 3))?.seconds, equals: 3)
        #expect(ErrorMatcher.conforming(to: Zoo.Timeout.self).match(Zoo.Offline()) == nil)
        #expect(ErrorMatcher.conforming(to: Zoo.Animal.self).match(Zoo.Owl()) != nil)
        #expect(ErrorMatcher.conforming(to: Zoo.Owl.self).match(Zoo.Animal()) == nil)
        let url = ErrorMatcher.conforming(to: URLError.self)
        expect(url.match(NSError(domain: NSURLErrorDomain, code: -1001))?.code, equals: .timedOut)
        #expect(url.match(NSError(domain: "d", code: -1001)) == nil)
        #expect(ErrorMatcher.conforming(to: (any Error).self).match(Zoo.Offline()) is Zoo.Offline)
        expect(ErrorMatcher.conforming(to: Zoo.Timeout.self).description, equals: "type(Timeout)")
    }

    @Test("conforming(to:) a type that is no error matches nothing")
    func noError() {
        #expect(ErrorMatcher.conforming(to: Int.self).match(Zoo.Box(content: 1)) == nil)
        #expect(ErrorMatcher.conforming(to: String.self).match(NSError(domain: "d", code: 1)) == nil)
    }

    // MARK: extracting, matching, any

    @Test("extracting hands on the part, and does not match where there is none")
    func extracting() {
        let code = ErrorMatcher.extracting(Zoo.Payment.self) { if case .declined(let code) = $0 { code } else { nil } }
        expect(code.match(Zoo.Payment.declined(code: 51)), equals: 51)
        #expect(code.match(Zoo.Payment.expired) == nil)
        #expect(code.match(Zoo.Shade.dark(51)) == nil)
    }

    @Test("extracting looks at the type as type does: subclasses and bridged NSErrors too")
    func extractingTypes() {
        let name = ErrorMatcher.extracting(Zoo.Animal.self) { $0.name.isEmpty ? nil : $0.name }
        expect(name.match(Zoo.Owl("Strix")), equals: "Strix")
        #expect(name.match(Zoo.Owl()) == nil)
        let code = ErrorMatcher.extracting(URLError.self) { $0.code.rawValue }
        expect(code.match(NSError(domain: NSURLErrorDomain, code: -1001)), equals: -1001)
    }

    @Test("extracting asks only about errors of its type")
    func extractingAsks() {
        let trace = ActionTrace()
        let matcher = ErrorMatcher.extracting(Zoo.Timeout.self) { trace("\($0.seconds)") }
        _ = matcher.match(Zoo.Offline())
        _ = matcher.match(Zoo.Timeout(seconds: 9))
        expect(trace.entries, equals: ["9"])
    }

    @Test("matching asks the predicate about every error and hands on the error")
    func predicate() {
        let trace = ActionTrace()
        let matcher = ErrorMatcher.predicate { error in
            _ = trace("\(type(of: error))")
            return error is Zoo.Timeout
        }
        expect(matcher.match(Zoo.Timeout(seconds: 2)) as? Zoo.Timeout, equals: Zoo.Timeout(seconds: 2))
        #expect(matcher.match(Zoo.Offline()) == nil)
        expect(trace.entries, equals: ["Timeout", "Offline"])
    }

    @Test("any matches every error and hands it on as it is")
    func any() {
        let error = NSError(domain: "d", code: 1)
        #expect(ErrorMatcher.any.match(error) as? NSError === error)
        #expect(ErrorMatcher.any.match(Zoo.Offline()) is Zoo.Offline)
    }

    @Test("an action gets what its matcher hands on, as that type")
    func actions() async {
        let trace = ActionTrace()
        let handler = ErrorHandler()
            .on(matching: .conforming(to: (any Retryable).self)) { trace("retry in \($0.delay)") }
            .on(matching: .extracting(Zoo.Payment.self) { if case .declined(let code) = $0 { code } else { nil } }) {
                code in
                trace("declined \(code + 1)")
            }
            .on(matching: .predicate { $0 is Zoo.Shade }) { (error: any Error) in trace("\(error)") }
        await handler.handle(Busy(delay: 4))
        await handler.handle(Zoo.Payment.declined(code: 51))
        await handler.handle(Zoo.Payment.expired)
        await handler.handle(Zoo.Shade.light)
        expect(trace.entries, equals: ["retry in 4", "declined 52", "light"])
    }
}
