import Foundation
import TestSupport
import Testing

// `erased` is internal.
@testable import ErrorRouting

/// `match`, and `~=` in a `catch` and in a `case`.
@Suite("Matchers serve as patterns, and describe themselves as they are written", .hangLimit)
struct MatchingPatternTests {}

extension MatchingPatternTests {
    private struct Coded<Value: Sendable>: Error {}
    private enum Talkative: Error, Equatable, CustomStringConvertible {
        case quiet
        var description: String { "two\nlines" }
    }

    private func caught(_ error: any Error) -> String {
        let slow = ErrorMatcher.type(Zoo.Timeout.self).where { $0.seconds > 10 }
        do {
            throw error
        } catch slow {
            return "slow"
        } catch ErrorMatcher.type(Zoo.Payment.self) {
            return "payment"
        } catch ErrorMatcher.nsError(domain: "bank") {
            return "bank"
        } catch ErrorMatcher.anywhere(.type(Zoo.Offline.self)) {
            return "offline somewhere"
        } catch {
            return "other"
        }
    }

    @Test("a matcher can be the pattern of a catch, of a switch, and of an if")
    func catching() {
        expect(caught(Zoo.Timeout(seconds: 11)), equals: "slow")
        expect(caught(Zoo.Timeout(seconds: 10)), equals: "other")
        expect(caught(Zoo.Payment.expired), equals: "payment")
        expect(caught(NSError(domain: "bank", code: 1)), equals: "bank")
        expect(caught(Zoo.Group(underlyingErrors: [Zoo.Offline()])), equals: "offline somewhere")

        let payment = ErrorMatcher.type(Zoo.Payment.self)
        func sorted(_ error: any Error) -> String {
            switch error {
            case payment || .type(Zoo.Shade.self): "payment or shade"
            case !ErrorMatcher.anywhere(.type(Zoo.Offline.self)): "not offline"
            default: "offline"
            }
        }
        expect(sorted(Zoo.Payment.expired), equals: "payment or shade")
        expect(sorted(Zoo.Shade.light), equals: "payment or shade")
        expect(sorted(Zoo.Timeout()), equals: "not offline")
        expect(sorted(Zoo.Offline()), equals: "offline")
        var matched = false
        if case payment = Zoo.Payment.expired as any Error { matched = true }
        #expect(matched)
        #expect(payment ~= Zoo.Payment.expired)
        #expect(!(payment ~= Zoo.Offline()))
    }

    @Test("every factory and combinator is described as it is written, on one line")
    func descriptions() {
        let payment = ErrorMatcher.type(Zoo.Payment.self)
        let bank = ErrorMatcher.nsError(domain: "bank", code: 3)
        expect("\(payment)", equals: "type(Payment)")
        expect("\(ErrorMatcher.type(Coded<Int>.self))", equals: "type(Coded<Int>)")
        expect("\(ErrorMatcher.type((any Error).self))", equals: "any")
        expect("\(ErrorMatcher.value(Zoo.Payment.declined(code: 51)))", equals: "value(Payment.declined(code: 51))")
        expect("\(ErrorMatcher.value(Zoo.Timeout(seconds: 5)))", equals: "value(Timeout(seconds: 5))")
        expect("\(ErrorMatcher.nsError(domain: "bank"))", equals: "nsError(domain: bank)")
        expect("\(bank)", equals: "nsError(domain: bank, code: 3)")
        expect("\(ErrorMatcher.conforming(to: (any LocalizedError).self))", equals: "conforming(to: LocalizedError)")
        expect("\(ErrorMatcher.extracting(Zoo.Payment.self) { _ in 1 })", equals: "extracting(Payment)")
        expect("\(ErrorMatcher.predicate { _ in true })", equals: "predicate")
        expect("\(ErrorMatcher.any)", equals: "any")
        expect("\(ErrorMatcher.anywhere(payment))", equals: "anywhere(type(Payment))")
        expect("\(payment.where { _ in true })", equals: "type(Payment).where(predicate)")
        expect("\(payment || payment)", equals: "(type(Payment) || type(Payment))")
        expect("\(payment || bank)", equals: "(type(Payment) || nsError(domain: bank, code: 3))")
        expect("\(payment && bank)", equals: "(type(Payment) && nsError(domain: bank, code: 3))")
        expect("\(!payment)", equals: "!type(Payment)")
        expect("\(!(payment || bank))", equals: "!(type(Payment) || nsError(domain: bank, code: 3))")
        let narrowed = (payment && !ErrorMatcher.any).where { _ in true }
        expect("\(narrowed)", equals: "(type(Payment) && !any).where(predicate)")
        #expect(!"\(ErrorMatcher.value(Talkative.quiet))".contains("\n"))
        expect("\(ErrorMatcher.value(NSError(domain: "a\nb", code: 1)))".split(separator: "\n").count, equals: 1)
    }

    @Test("a name replaces the named matcher's description and nothing else; later combinations are still shown")
    func names() {
        let slow = ErrorMatcher.type(Zoo.Timeout.self).where { $0.seconds > 10 }.named("slow")
        expect("\(slow)", equals: "slow")
        expect(slow.match(Zoo.Timeout(seconds: 11))?.seconds, equals: 11)
        expectNil(slow.match(Zoo.Timeout(seconds: 10)))
        expect("\(slow.erased)", equals: "slow")
        expect("\(!slow || ErrorMatcher.any)", equals: "(!slow || any)")
        expect("\(slow.where { _ in true })", equals: "slow.where(predicate)")
        expect("\(slow.named("very slow"))", equals: "very slow")
    }
}
