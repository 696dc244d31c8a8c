import Foundation
import TestSupport
import Testing

// `erased` is internal.
@testable import ErrorRouting

/// `where`, `named`, `erased`, `||`, `&&` and `!`.
@Suite("Combined matchers match, output, and call their parts as their operators promise", .hangLimit)
struct MatchingCombinatorsTests {
    let trace = ActionTrace()

    private let payment = ErrorMatcher.type(Zoo.Payment.self)
    private let timeout = ErrorMatcher.type(Zoo.Timeout.self)
    private let seconds = ErrorMatcher.extracting(Zoo.Timeout.self) { $0.seconds }
    private let bank = ErrorMatcher.nsError(domain: "bank")

    /// A matcher that notes that it was called.
    private func counted(_ name: String, answers: Bool) -> ErrorMatcher<any Error> {
        .predicate { [trace] _ in
            _ = trace(name)
            return answers
        }
    }
}

extension MatchingCombinatorsTests {
    @Test("where narrows the matcher, receives and outputs its output, and is called only if the matcher matches")
    func narrowing() {
        let slow = timeout.where { [trace] in trace("\($0.seconds)") == .next && $0.seconds > 10 }
        expect(slow.match(Zoo.Timeout(seconds: 11)), equals: Zoo.Timeout(seconds: 11))
        expectNil(slow.match(Zoo.Timeout(seconds: 10)))
        expectNil(slow.match(Zoo.Offline()))
        expect(trace.entries, equals: ["11", "10"])
        let verySlow = slow.where { $0.seconds > 100 }
        expect(verySlow.match(Zoo.Timeout(seconds: 101))?.seconds, equals: 101)
        expectNil(verySlow.match(Zoo.Timeout(seconds: 11)))

        expect(seconds.where { $0 == 5 }.match(Zoo.Timeout(seconds: 5)), equals: 5)
        let timedOut = ErrorMatcher.nsError(domain: NSURLErrorDomain).where { $0.code == -1001 }
        expect(timedOut.match(URLError(.timedOut))?.code, equals: -1001)
        expectNil(timedOut.match(URLError(.cancelled)))
        let inner = ErrorMatcher.anywhere(timeout).where { $0.seconds == 5 }
        expect(inner.match(Zoo.Group(underlyingErrors: [Zoo.Timeout(seconds: 5)]))?.seconds, equals: 5)
        expectNil(inner.match(Zoo.Group(underlyingErrors: [Zoo.Timeout(seconds: 6), Zoo.Timeout(seconds: 5)])))
    }

    @Test("|| has the output of the first matcher that matches, or the error itself if the output types differ")
    func sameOutput() {
        let first = ErrorMatcher.extracting(Zoo.Timeout.self) { $0.seconds > 10 ? $0.seconds : nil }
        let either: ErrorMatcher<Int> = first || ErrorMatcher.extracting(Zoo.Timeout.self) { -$0.seconds }
        expect(either.match(Zoo.Timeout(seconds: 11)), equals: 11)
        expect(either.match(Zoo.Timeout(seconds: 3)), equals: -3)
        expectNil(either.match(Zoo.Offline()))

        let other: ErrorMatcher<any Error> = payment || timeout
        expect(other.match(Zoo.Payment.expired) as? Zoo.Payment, equals: .expired)
        expect(other.match(Zoo.Timeout(seconds: 2)) as? Zoo.Timeout, equals: Zoo.Timeout(seconds: 2))
        expectNil(other.match(Zoo.Offline()))
        let third = payment || timeout || bank
        expect(third.match(NSError(domain: "bank", code: 3)).map { ($0 as NSError).code }, equals: 3)
        expectNil(third.match(NSError(domain: "shop", code: 3)))
    }

    @Test("&& has the first matcher's output if both match")
    func both() {
        let long: ErrorMatcher<Int> = seconds && timeout.where { $0.seconds > 10 }
        expect(long.match(Zoo.Timeout(seconds: 11)), equals: 11)
        expectNil(long.match(Zoo.Timeout(seconds: 9)))
        expectNil((payment && timeout).match(Zoo.Payment.expired))
        expect((payment && .value(Zoo.Payment.expired)).match(Zoo.Payment.expired), equals: .expired)
        expectNil((payment && .value(Zoo.Payment.expired)).match(Zoo.Payment.unavailable))
    }

    @Test("|| calls the second matcher only if the first doesn't match, && only if the first does")
    func shortCircuits() {
        _ = (counted("1", answers: true) || counted("2", answers: true)).match(Zoo.Offline())
        expect(trace.takeAll(), equals: ["1"])
        _ = (counted("1", answers: false) || counted("2", answers: false)).match(Zoo.Offline())
        expect(trace.takeAll(), equals: ["1", "2"])
        _ = (counted("1", answers: true) || timeout).match(Zoo.Offline())
        _ = (timeout || counted("2", answers: true)).match(Zoo.Timeout())
        expect(trace.takeAll(), equals: ["1"])
        _ = (counted("1", answers: false) && counted("2", answers: true)).match(Zoo.Offline())
        expect(trace.takeAll(), equals: ["1"])
        _ = (counted("1", answers: true) && counted("2", answers: true)).match(Zoo.Offline())
        expect(trace.takeAll(), equals: ["1", "2"])
    }

    @Test("! matches if the matcher doesn't, and outputs the error")
    func negation() {
        let other: ErrorMatcher<any Error> = !payment
        expectNil(other.match(Zoo.Payment.expired))
        expect(other.match(Zoo.Timeout(seconds: 2)) as? Zoo.Timeout, equals: Zoo.Timeout(seconds: 2))
        expect((!other).match(Zoo.Payment.expired) as? Zoo.Payment, equals: .expired)
        expectNil((!(payment || timeout)).match(Zoo.Timeout()))
        #expect((!payment && timeout).match(Zoo.Timeout()) is Zoo.Timeout)
    }

    @Test("erased outputs the matcher's output if that is an error, even one found by anywhere, or otherwise the error")
    func erasure() {
        expect(payment.erased.match(Zoo.Payment.expired) as? Zoo.Payment, equals: .expired)
        expectNil(payment.erased.match(Zoo.Offline()))
        expect(seconds.erased.match(Zoo.Timeout(seconds: 5)) as? Zoo.Timeout, equals: Zoo.Timeout(seconds: 5))
        expect(bank.erased.match(NSError(domain: "bank", code: 1)).map { ($0 as NSError).code }, equals: 1)
        let bridged = ErrorMatcher.nsError(domain: NSURLErrorDomain).erased.match(URLError(.timedOut))
        expect(bridged.map { type(of: $0) is NSError.Type }, equals: true)
        #expect(ErrorMatcher.any.erased.match(Zoo.Offline()) is Zoo.Offline)

        let outer = Zoo.Group(underlyingErrors: [Zoo.Timeout(seconds: 5)])
        let anywhere = ErrorMatcher.anywhere(timeout)
        let found: [(any Error)?] = [
            anywhere.erased.match(outer), (payment || anywhere).match(outer), (anywhere || payment).match(outer),
        ]
        expect(found.map { $0 is Zoo.Timeout }, equals: [true, true, true])
        let localized = Zoo.Group(underlyingErrors: [Zoo.Localized(errorDescription: "inner")])
        let inner = ErrorMatcher.anywhere(.conforming(to: (any LocalizedError).self))
        let matches: [(any Error)?] = [
            inner.match(localized), inner.erased.match(localized), (payment || inner).match(localized),
        ]
        expect(matches.map { $0 is Zoo.Localized }, equals: [true, true, true])
    }

    @Test("combinations work in rules, with their outputs")
    func rules() async {
        let handler = ErrorHandler()
            .on(matching: payment || bank) { trace("either \($0)") }
            .on(matching: seconds && .any) { trace("seconds \($0)") }
            .on(matching: !.anywhere(.any.where { $0 is Zoo.Offline || $0 is Zoo.Payment || $0 is Zoo.Timeout })) {
                error in
                trace("other \(type(of: error))")
            }
        await handler.handle(Zoo.Payment.expired)
        await handler.handle(Zoo.Timeout(seconds: 5))
        await handler.handle(Zoo.Shade.light)
        await handler.handle(Zoo.Offline())
        expect(trace.entries, equals: ["either expired", "seconds 5", "other Shade"])
    }
}

// MARK: - Many matchers

extension MatchingCombinatorsTests {
    @Test("|| and && of 3,000 matchers are matched, described, used in a rule, and deallocated")
    func many() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            await withCheckedContinuation { continuation in
                let thread = Thread {
                    for isEither in [true, false] { useMany(isEither: isEither) }
                    continuation.resume()
                }
                thread.stackSize = 512 * 1_024
                thread.start()
            }
        }
    }

    @Test("a matcher that occurs several times in a combination is called as often, up to the call that decides")
    func severalTimes() {
        func calls(_ combine: (ErrorMatcher<any Error>) -> ErrorMatcher<any Error>, answering answer: Bool) -> Int {
            _ = combine(counted("call", answers: answer)).match(Zoo.Offline())
            return trace.takeAll().count
        }
        func doubled(_ matcher: ErrorMatcher<any Error>, _ double: (ErrorMatcher<any Error>) -> ErrorMatcher<any Error>)
            -> ErrorMatcher<any Error>
        { (0..<12).reduce(matcher) { matcher, _ in double(matcher) } }

        expect(calls({ doubled($0) { $0 || $0 } }, answering: false), equals: 4_096)
        expect(calls({ doubled($0) { $0 || $0 } }, answering: true), equals: 1)
        expect(calls({ doubled($0) { $0 && $0 } }, answering: true), equals: 4_096)
        expect(calls({ doubled($0) { $0 && $0 } }, answering: false), equals: 1)
        expect(calls({ !$0 || ($0 || .anywhere($0)) }, answering: false), equals: 1)
        expect(calls({ ($0 && !$0) || $0.named("again") }, answering: true), equals: 3)
        expect(calls({ $0.where { _ in false } || .anywhere($0) }, answering: false), equals: 2)
    }

    @Test("a matcher that is combined with itself forty times is used in a rule, described, and explained")
    func doubledRule() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            let predicate = ErrorMatcher.predicate { _ in false }
            let doublings: [(ErrorMatcher<any Error>) -> ErrorMatcher<any Error>] = [
                { $0 && $0 }, { $0.named("again") && $0 }, { ($0 && $0).where { _ in true } },
            ]
            for double in doublings {
                let matcher = (0..<40).reduce(predicate) { matcher, _ in double(matcher) }
                let handler = ErrorHandler().on(matching: matcher) { _ in .stop }.on(matching: !matcher) { _ in .next }
                expect(await handler.handle(Zoo.Offline()).matchedRuleCount, equals: 1)
                #expect(handler.explain(Zoo.Offline()).description.isEmpty == false)
                expect(ErrorMap(default: 0).on(matching: matcher) { _ in 1 }[Zoo.Offline()], equals: 0)
            }
        }
    }

    @Test(
        "matchers nested up to the limit are matched, described, explained, used, and deallocated on a small stack"
    )
    func nested() async {
        await #expect(processExitsWith: .success) {
            endIfItHangs()
            await withCheckedContinuation { continuation in
                let thread = Thread {
                    let offline = ErrorMatcher.type(Zoo.Offline.self)
                    let steps: [(ErrorMatcher<Zoo.Offline>) -> ErrorMatcher<Zoo.Offline>] = [
                        { $0.where { _ in true } }, { $0.named("name") }, { .anywhere($0) }, { $0.named("a") || $0 },
                        { offline && $0.named("a") },
                    ]
                    for step in steps {
                        var matcher = offline
                        while matcher.depth + 2 <= ErrorMatcher<Zoo.Offline>.depthLimit { matcher = step(matcher) }
                        #expect(matcher.depth > 100)
                        expect(matcher.match(Zoo.Offline()) != nil, equals: true)
                        let handler = ErrorHandler().on(matching: matcher) { _ in .stop }
                        expect(handler.handleSynchronously(Zoo.Offline())?.disposition, equals: .handled)
                        expect(handler.explain(Zoo.Offline()).disposition, equals: .handled)
                        #expect("\(matcher)".utf8.count > 3)
                    }
                    let negations = (0..<100).reduce(offline.erased) { matcher, _ in !matcher }
                    expect(negations.match(Zoo.Offline()) != nil, equals: true)
                    continuation.resume()
                }
                thread.stackSize = 512 * 1_024
                thread.start()
            }
        }
    }

    @Test("200,000 nested matchers exit with a message, at the line where they are created")
    func tooDeep() async {
        let results = [
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nestTooDeep { $0.where { _ in true } }
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { nestTooDeep { !$0 } },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nestTooDeep { .anywhere($0) }
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                nestTooDeep { $0.named("name") }
            },
        ]
        for result in results {
            let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
            #expect(output.contains("more than 128 matchers are nested in one another"), "\(output.prefix(400))")
        }
    }

    @Test("a combination of combinations is described as one list, unless a part has a name")
    func lists() {
        let (one, two, three) = (ErrorMatcher.type(Zoo.Payment.self), timeout, bank)
        expect("\((one || two) || three)", equals: "(type(Payment) || type(Timeout) || \(bank))")
        expect("\(one || (two || three))", equals: "(type(Payment) || type(Timeout) || \(bank))")
        expect("\((one || two).named("both") || three)", equals: "(both || \(bank))")
        expect("\((one && two) && three)", equals: "(type(Payment) && type(Timeout) && \(bank))")
    }
}

/// Uses combinations of 3,000 matchers, of which either one or all must match.
private func useMany(isEither: Bool) {
    let parts = (0..<3_000).map { number in
        ErrorMatcher.type(Numbered.self).where { isEither ? $0.number == number : $0.number != number }
    }
    let leftwards = parts.dropFirst().reduce(parts[0]) { isEither ? $0 || $1 : $0 && $1 }
    let rightwards = parts.dropLast().reversed().reduce(parts[2_999]) { isEither ? $1 || $0 : $1 && $0 }
    for matcher in [leftwards, rightwards] {
        expect(matcher.match(Numbered(2_999)) != nil, equals: isEither)
        expect(matcher.match(Numbered(3_000)) != nil, equals: !isEither)
        #expect("\(matcher)".hasSuffix("…"))
        let handler = ErrorHandler().on(matching: matcher) { _ in .stop }
        let disposition = handler.handleSynchronously(Numbered(0))?.disposition
        expect(disposition, equals: isEither ? .handled : .unmatched)
    }
}

/// Nests matchers until the process exits.
private func nestTooDeep(_ step: (ErrorMatcher<any Error>) -> ErrorMatcher<any Error>) {
    var matcher = ErrorMatcher<any Error>.any
    for _ in 0..<200_000 { matcher = step(matcher) }
}
