import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("Promise 10: errors are matched by protocol, by part, and by predicate", .tags(.promise10), .hangLimit)
struct MatchingConformingTests {}

extension MatchingConformingTests {
    private protocol Retryable: Sendable { var delay: Int { get } }
    private protocol Described: AnyObject, Sendable {}
    private class Machine: @unchecked Sendable {}  // It has no state.

    private struct Busy: Error, Retryable, Hashable { var delay = 3 }
    private enum Remote: LocalizedError, Retryable {
        case down
        var delay: Int { 60 }
        var errorDescription: String? { "down" }
    }
    private final class Jam: Machine, Error, Described, @unchecked Sendable {}  // It has no state.

    // MARK: conforming(to:)

    private static let cases: [MatchCase] = [
        .not("an error that does not conform", .conforming(to: (any Retryable).self), Zoo.Offline()),
        .init("a class", .conforming(to: (any Described).self), Jam()),
        .not("a struct for a protocol of classes", .conforming(to: (any Described).self), Busy()),
        .not("no LocalizedError", .conforming(to: (any LocalizedError).self), Zoo.Offline()),
        .not("an NSError", .conforming(to: (any LocalizedError).self), NSError(domain: "d", code: 1)),
        .init("a composition", .conforming(to: (any LocalizedError & Retryable).self), Remote.down),
        .not("the first half of it", .conforming(to: (any LocalizedError & Retryable).self), Zoo.Localized()),
        .not("the second half of it", .conforming(to: (any LocalizedError & Retryable).self), Busy()),
        .init("a composition of no errors", .conforming(to: (any Hashable & Sendable).self), Busy()),
        .not("what cannot be hashed", .conforming(to: (any Hashable & Sendable).self), Zoo.Timeout()),
        .not("no object of a superclass", .conforming(to: Machine.self), Zoo.Owl()),
        .not("another struct", .conforming(to: Zoo.Timeout.self), Zoo.Offline()),
        .init("a subclass", .conforming(to: Zoo.Animal.self), Zoo.Owl()),
        .not("a superclass", .conforming(to: Zoo.Owl.self), Zoo.Animal()),
        .not("an NSError of another domain", .conforming(to: URLError.self), NSError(domain: "d", code: -1001)),
        .not("what has a number", .conforming(to: Int.self), Zoo.Box(content: 1)),
        .not("what could be a text", .conforming(to: String.self), NSError(domain: "d", code: 1)),
    ]

    @Test("conforming(to:) matches by protocols, compositions, superclasses, and types, as type does")
    func conformances() { for example in Self.cases { example.check() } }

    @Test("conforming(to:) outputs the error as the requested protocol or type")
    func handsOn() {
        let retryable = ErrorMatcher.conforming(to: (any Retryable).self)
        expect(retryable.match(Busy(delay: 5))?.delay, equals: 5)
        expect(retryable.match(Remote.down)?.delay, equals: 60)
        let localized = ErrorMatcher.conforming(to: (any LocalizedError).self)
        expect(localized.match(Zoo.Localized(errorDescription: "text"))?.errorDescription, equals: "text")
        expect(ErrorMatcher.conforming(to: (any CustomNSError).self).match(Zoo.Foreign())?.errorCode, equals: 7)
        let jam = Jam()
        #expect(ErrorMatcher.conforming(to: Machine.self).match(jam) === jam)
        expect(ErrorMatcher.conforming(to: Zoo.Timeout.self).match(Zoo.Timeout(seconds: 3))?.seconds, equals: 3)
        let bridged = NSError(domain: NSURLErrorDomain, code: -1001)
        expect(ErrorMatcher.conforming(to: URLError.self).match(bridged)?.code, equals: .timedOut)
        #expect(ErrorMatcher.conforming(to: (any Error).self).match(Zoo.Offline()) is Zoo.Offline)
        expect(ErrorMatcher.conforming(to: Zoo.Timeout.self).description, equals: "type(Timeout)")
    }

    // MARK: extracting, matching, any

    @Test(
        "extracting reads only errors that type would match, outputs the extracted part, and doesn't match if it is nil"
    )
    func extracting() {
        let code = ErrorMatcher.extracting(Zoo.Payment.self) { if case .declined(let code) = $0 { code } else { nil } }
        expect(code.match(Zoo.Payment.declined(code: 51)), equals: 51)
        expectNil(code.match(Zoo.Payment.expired))
        expectNil(code.match(Zoo.Shade.dark(51)))
        let name = ErrorMatcher.extracting(Zoo.Animal.self) { $0.name.isEmpty ? nil : $0.name }
        expect(name.match(Zoo.Owl("Strix")), equals: "Strix")
        expectNil(name.match(Zoo.Owl()))
        let bridged = ErrorMatcher.extracting(URLError.self) { $0.code.rawValue }
        expect(bridged.match(NSError(domain: NSURLErrorDomain, code: -1001)), equals: -1001)

        let trace = ActionTrace()
        let timeout = ErrorMatcher.extracting(Zoo.Timeout.self) { trace("\($0.seconds)") }
        _ = timeout.match(Zoo.Offline())
        _ = timeout.match(Zoo.Timeout(seconds: 9))
        expect(trace.entries, equals: ["9"])
    }

    @Test("predicate is called for every error and outputs the error, and any outputs it without a call")
    func predicate() {
        let trace = ActionTrace()
        let matcher = ErrorMatcher.predicate { error in
            _ = trace("\(type(of: error))")
            return error is Zoo.Timeout
        }
        expect(matcher.match(Zoo.Timeout(seconds: 2)) as? Zoo.Timeout, equals: Zoo.Timeout(seconds: 2))
        expectNil(matcher.match(Zoo.Offline()))
        expect(trace.entries, equals: ["Timeout", "Offline"])
        let object = NSError(domain: "d", code: 1)
        #expect(ErrorMatcher.any.match(object) as? NSError === object)
        #expect(ErrorMatcher.any.match(Zoo.Offline()) is Zoo.Offline)
    }

    @Test("an action receives its matcher's output, with its type")
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
