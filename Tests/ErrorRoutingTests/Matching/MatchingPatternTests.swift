import ErrorRouting
import Foundation
import Testing

/// `match`, and `~=` in a `catch` and in a `case`.
@Suite("Matchers serve as patterns, and describe themselves as they are written")
struct MatchingPatternTests {
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

    @Test("a matcher serves as the pattern of a catch")
    func catching() {
        #expect(caught(Zoo.Timeout(seconds: 11)) == "slow")
        #expect(caught(Zoo.Timeout(seconds: 10)) == "other")
        #expect(caught(Zoo.Payment.expired) == "payment")
        #expect(caught(NSError(domain: "bank", code: 1)) == "bank")
        #expect(caught(Zoo.Group(underlyingErrors: [Zoo.Offline()])) == "offline somewhere")
    }

    @Test("a matcher serves as the pattern of a switch and of an if")
    func switching() {
        let payment = ErrorMatcher.type(Zoo.Payment.self)
        func sorted(_ error: any Error) -> String {
            switch error {
            case payment || .type(Zoo.Shade.self): "payment or shade"
            case !ErrorMatcher.anywhere(.type(Zoo.Offline.self)): "not offline"
            default: "offline"
            }
        }
        #expect(sorted(Zoo.Payment.expired) == "payment or shade")
        #expect(sorted(Zoo.Shade.light) == "payment or shade")
        #expect(sorted(Zoo.Timeout()) == "not offline")
        #expect(sorted(Zoo.Offline()) == "offline")
        var matched = false
        if case payment = Zoo.Payment.expired as any Error { matched = true }
        #expect(matched)
        #expect(payment ~= Zoo.Payment.expired)
        #expect(!(payment ~= Zoo.Offline()))
    }

    @Test("every factory and combinator describes itself as it is written")
    func descriptions() {
        let payment = ErrorMatcher.type(Zoo.Payment.self)
        let bank = ErrorMatcher.nsError(domain: "bank", code: 3)
        #expect("\(payment)" == "type(Payment)")
        #expect("\(ErrorMatcher.type(Coded<Int>.self))" == "type(Coded<Int>)")
        #expect("\(ErrorMatcher.type((any Error).self))" == "any")
        #expect("\(ErrorMatcher.value(Zoo.Payment.declined(code: 51)))" == "value(Payment.declined(code: 51))")
        #expect("\(ErrorMatcher.value(Zoo.Timeout(seconds: 5)))" == "value(Timeout(seconds: 5))")
        #expect("\(ErrorMatcher.nsError(domain: "bank"))" == "nsError(domain: bank)")
        #expect("\(bank)" == "nsError(domain: bank, code: 3)")
        #expect("\(ErrorMatcher.conforming(to: (any LocalizedError).self))" == "conforming(to: LocalizedError)")
        #expect("\(ErrorMatcher.extracting(Zoo.Payment.self) { _ in 1 })" == "extracting(Payment)")
        #expect("\(ErrorMatcher.predicate { _ in true })" == "predicate")
        #expect("\(ErrorMatcher.any)" == "any")
        #expect("\(ErrorMatcher.anywhere(payment))" == "anywhere(type(Payment))")
        #expect("\(payment.where { _ in true })" == "type(Payment).where(predicate)")
        #expect("\(payment || payment)" == "(type(Payment) || type(Payment))")
        #expect("\(payment || bank)" == "(type(Payment) || nsError(domain: bank, code: 3))")
        #expect("\(payment && bank)" == "(type(Payment) && nsError(domain: bank, code: 3))")
        #expect("\(!payment)" == "!type(Payment)")
        #expect("\(!(payment || bank))" == "!(type(Payment) || nsError(domain: bank, code: 3))")
        let narrowed = (payment && !ErrorMatcher.any).where { _ in true }
        #expect("\(narrowed)" == "(type(Payment) && !any).where(predicate)")
    }

    @Test("a name stands for what is named, and what is done to it afterwards is shown")
    func names() {
        let slow = ErrorMatcher.type(Zoo.Timeout.self).where { $0.seconds > 10 }.named("slow")
        #expect("\(slow)" == "slow")
        #expect("\(slow.erased)" == "slow")
        #expect("\(!slow || ErrorMatcher.any)" == "(!slow || any)")
        #expect("\(slow.where { _ in true })" == "slow.where(predicate)")
        #expect("\(slow.named("very slow"))" == "very slow")
    }

    @Test("the description of a value fits on one line, whatever the value says of itself")
    func oneLine() {
        #expect(!"\(ErrorMatcher.value(Talkative.quiet))".contains("\n"))
        #expect("\(ErrorMatcher.value(NSError(domain: "a\nb", code: 1)))".split(separator: "\n").count == 1)
    }
}
