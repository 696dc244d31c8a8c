import ErrorRouting
import Foundation
import TestSupport
import Testing

@Suite("An error map returns the value of the last-registered rule that matches", .tags(.promise1), .hangLimit)
struct ErrorMapTests {}

extension ErrorMapTests {
    @Test("the last-registered rule that matches decides; an error without a matching rule gets the default")
    func precedence() {
        let map = ErrorMap(default: 500)
            .on(matching: .any, 501)
            .on(Zoo.Payment.self, 402)
            .on(Zoo.Payment.expired, 410)
            .on(Zoo.Timeout.self, 504)
        expect(map[Zoo.Payment.expired], equals: 410)
        expect(map[Zoo.Payment.unavailable], equals: 402)
        expect(map[Zoo.Timeout()], equals: 504)
        expect(map[Zoo.Offline()], equals: 501)
        expect(map.on(Zoo.Payment.self, 409)[Zoo.Payment.expired], equals: 409)

        expect(ErrorMap(default: "other").on(Zoo.Payment.self, "payment")[Zoo.Offline()], equals: "other")
        let errors: [any Error] = [Zoo.Offline(), NSError(domain: "d", code: 1)]
        expect(errors.map { ErrorMap(default: 500)[$0] }, equals: [500, 500])
    }

    @Test("rules by matcher, type, value, and domain return a value, or the result of a closure for the match")
    func values() {
        let map = ErrorMap(default: "none")
            .on(matching: .conforming(to: (any LocalizedError).self), "matcher")
            .on(Zoo.Animal.self, "type")
            .on(Zoo.Payment.expired, "value")
            .on(domain: NSURLErrorDomain, "domain")
            .on(domain: NSURLErrorDomain, code: -1001, "code")
        let errors: [any Error] = [
            Zoo.Localized(), Zoo.Owl(), Zoo.Payment.expired, URLError(.cancelled),
            NSError(domain: NSURLErrorDomain, code: -1001), Zoo.Payment.unavailable,
        ]
        expect(errors.map { map[$0] }, equals: ["matcher", "type", "value", "domain", "code", "none"])

        let made = ErrorMap(default: "none")
            .on(matching: .extracting(Zoo.Shade.self) { if case .dark(let depth) = $0 { depth } else { nil } }) {
                "dark \($0 + 1)"
            }
            .on(Zoo.Animal.self) { "type \($0.name)" }
            .on(Zoo.Timeout(seconds: 5)) { "value \($0.seconds)" }
            .on(domain: NSURLErrorDomain) { "domain \($0.code)" }
            .on(domain: NSURLErrorDomain, code: -1001) { error in "code \(error.code)" }
        let others: [any Error] = [
            Zoo.Shade.dark(1), Zoo.Owl("Strix"), Zoo.Timeout(seconds: 5), URLError(.cancelled),
            URLError(.timedOut), Zoo.Shade.light,
        ]
        expect(
            others.map { made[$0] }, equals: ["dark 2", "type Strix", "value 5", "domain -999", "code -1001", "none"]
        )

        let matched = ErrorMap(default: 0)
            .on(matching: .anywhere(.type(Zoo.Timeout.self))) { $0.seconds }
            .on(URLError.self) { $0.code.rawValue }
            .on(matching: .type(Zoo.Shade.self) || .nsError(domain: "d"), 7)
        expect(matched[Zoo.Group(underlyingErrors: [Zoo.Timeout(seconds: 5)])], equals: 5)
        expect(matched[NSError(domain: NSURLErrorDomain, code: -1001)], equals: -1001)
        expect(matched[NSError(domain: "d", code: 1)], equals: 7)
        expect(matched[Zoo.Shade.light], equals: 7)
        expect(matched[NSError(domain: "e", code: 1)], equals: 0)
    }

    @Test("a closure runs only for the rule that decides, and predicates run only up to that rule")
    func laziness() {
        let trace = ActionTrace()
        let map = ErrorMap(default: 0)
            .on(matching: .predicate { _ in trace("asked too late") == .next }, 1)
            .on(Zoo.Timeout.self) { _ in trace("made too late") == .next ? 2 : 0 }
            .on(Zoo.Timeout.self) { _ in trace("made") == .next ? 3 : 0 }
            .on(matching: .predicate { _ in trace("asked") == .stop }) { _ in
                trace("made for no match") == .next ? 4 : 0
            }
        expect(map[Zoo.Timeout()], equals: 3)
        expect(trace.entries, equals: ["asked", "made"])
    }

    @Test("maps are values, even overlaid ones: the overlay's rules go first, and the base's default stays")
    func valueSemantics() {
        let shared = ErrorMap(default: 0).on(Zoo.Timeout.self, 1)
        let mine = shared.on(Zoo.Timeout.self, 2)
        let theirs = shared.on(Zoo.Offline.self, 3)
        expect([shared, mine, theirs].map { $0[Zoo.Timeout()] }, equals: [1, 2, 1])
        expect([shared, mine, theirs].map { $0[Zoo.Offline()] }, equals: [0, 0, 3])

        let base = ErrorMap(default: 0).on(Zoo.Payment.self, 1).on(Zoo.Timeout.self, 1)
        let overlay = ErrorMap(default: 9).on(Zoo.Timeout.self, 2)
        let both = base.overlaid(with: overlay)
        let errors: [any Error] = [Zoo.Payment.expired, Zoo.Timeout(), Zoo.Offline()]
        expect(errors.map { both[$0] }, equals: [1, 2, 0])
        expect(errors.map { base[$0] }, equals: [1, 1, 0])
        expect(errors.map { overlay[$0] }, equals: [9, 2, 9])
        expect(base.overlaid(with: ErrorMap(default: 5))[Zoo.Timeout()], equals: 1)
        expect(ErrorMap(default: 5).overlaid(with: base)[Zoo.Offline()], equals: 5)
    }

    @Test("values can have any type: optionals, for which nil is a value too, and strategies for a rule")
    func kindsOfValues() {
        let optional = ErrorMap<Int?>(default: 1).on(matching: .any, 2).on(Zoo.Timeout.self, nil).on(Zoo.Offline.self) {
            _ in nil
        }
        expect(optional[Zoo.Payment.expired], equals: 2)
        expectNil(optional[Zoo.Timeout()])
        expectNil(optional[Zoo.Offline()])
        let strategies = ErrorMap(default: HandleStrategy.next).on(Zoo.Timeout.self, .stop)
        expect(strategies[Zoo.Timeout()], equals: .stop)
        expect(strategies[Zoo.Offline()], equals: .next)
        let handler = ErrorHandler().on(matching: .any) { _ in .next }.on(matching: .any) { strategies[$0] }
        expect(handler.handleSynchronously(Zoo.Timeout())?.matchedRuleCount, equals: 1)
        expect(handler.handleSynchronously(Zoo.Offline())?.matchedRuleCount, equals: 2)
    }

    @Test("match returns the value and its rule; explain names that rule and doesn't run a closure")
    func match() throws {
        let map = ErrorMap<String?>(default: "default")
            .on(Zoo.Payment.self, "payment")
            .on(Zoo.Timeout.self) { _ in nil }
        let payment = try #require(map.match(Zoo.Payment.expired))
        expect(payment.value, equals: "payment")
        expect(payment.rule, equals: map.explain(Zoo.Payment.expired).rule)
        let timeout = try #require(map.match(Zoo.Timeout()))
        expectNil(timeout.value)
        expect(timeout.rule.matcher, equals: "type(Timeout)")
        expectNil(map.match(Zoo.Offline()))

        let explained = ErrorMap(default: 0)
            .on(matching: .any, 1)
            .on(Zoo.Payment.self) { _ in
                Issue.record("it runs")
                return 2
            }
            .on(Zoo.Timeout.self, 3)
        let explanation = explained.explain(Zoo.Payment.expired)
        expect(
            explanation.entries.map(\.verdict),
            equals: [.notMatched, .matched, .notReached(because: "rule 2 decides")]
        )
        expect(explanation.disposition, equals: .handled)
        expect(explanation.rule, equals: explanation.entries.dropFirst().first?.rule)
        let empty = ErrorMap(default: 0).explain(Zoo.Timeout())
        #expect(empty.entries.isEmpty)
        expect(empty.disposition, equals: .unmatched)
        expectNil(empty.rule)
    }

    @Test("a map describes its rules in the order in which they are tried, then its default")
    func mapDescription() {
        let map = ErrorMap(default: "a\nb")
            .on(Zoo.Payment.self, "1", fileID: "Intake/Rules.swift", line: 1)
            .on(domain: "bank", "2", fileID: "Intake/Rules.swift", line: 2)
        expect(
            map.description,
            equals: """
                ErrorMap, in the order tried:
                  1. on nsError(domain: bank) at Intake/Rules.swift:2
                  2. on type(Payment) at Intake/Rules.swift:1
                  default: a\\nb
                """
        )
    }

    @Test("a rule with a constant can be limited to some matches of a matcher, a type, a value, or a domain")
    func conditions() {
        let map = ErrorMap(default: 0)
            .on(Zoo.Timeout.self, 1)
            .on(Zoo.Timeout.self, 2, where: { $0.seconds > 10 })
            .on(matching: .type(Zoo.Timeout.self), 3, where: { $0.seconds > 20 })
            .on(Zoo.Timeout(seconds: 30), 4, where: { $0.seconds != 30 })
            .on(domain: "d", 5, where: { $0.code == 7 })
        expect([5, 11, 21, 30].map { map[Zoo.Timeout(seconds: $0)] }, equals: [1, 2, 3, 3])
        expect([7, 8].map { map[NSError(domain: "d", code: $0)] }, equals: [5, 0])
    }
}

@Suite("A map that is derived from another map has its rules, and converts its values", .hangLimit)
struct DerivedMapTests {}

extension DerivedMapTests {
    private struct Meaning: Sendable {
        var status = 500
        var level = "error"
    }

    private static let table = ErrorMap(default: Meaning())
        .on(Zoo.Timeout.self, Meaning(status: 504, level: "info"))
        .on(Zoo.Payment.self) { Meaning(status: $0 == .expired ? 410 : 402) }
        .on(domain: "d", Meaning(level: "debug"), where: { $0.code == 7 })
        .on(matching: .anywhere(.type(Zoo.Offline.self)), Meaning(status: 503))

    private static let errors: [any Error] = [
        Zoo.Timeout(), Zoo.Payment.expired, Zoo.Payment.unavailable, NSError(domain: "d", code: 7),
        NSError(domain: "d", code: 8), Zoo.Group(underlyingErrors: [Zoo.Offline()]), Zoo.Localized(),
    ]

    @Test("each part of a table returns the table's values, at the first lookup and later, and so do parts of parts")
    func parts() {
        let statuses = Self.table.map(\.status)
        let texts = statuses.map { "\($0)" }
        let levels = Self.table.map(\.level)
        for error in Self.errors + Self.errors + Self.errors {
            expect(statuses[error], equals: Self.table[error].status)
            expect(levels[error], equals: Self.table[error].level)
            expect(texts[error], equals: "\(statuses[error])")
        }
        expect(Self.errors.map { statuses[$0] }, equals: [504, 410, 402, 500, 500, 503, 500])
    }

    @Test("it names the table's line for each rule, and can have its own rules, or an overlay on top")
    func positions() throws {
        let statuses = Self.table.map(\.status).on(Zoo.Payment.self, 409)
        expect(Self.errors.prefix(2).map { statuses[$0] }, equals: [504, 409])
        let (own, base) = (statuses.explain(Zoo.Timeout()).entries, Self.table.explain(Zoo.Timeout()).entries)
        expect(own.dropFirst().map(\.rule.source), equals: base.map(\.rule.source))
        expect(own.dropFirst().map(\.rule.matcher), equals: base.map(\.rule.matcher))
        expect(
            try #require(statuses.match(Zoo.Timeout())).rule.source,
            equals: try #require(Self.table.match(Zoo.Timeout())).rule.source)
        let both = Self.table.overlaid(with: ErrorMap(default: Meaning()).on(Zoo.Timeout.self, Meaning(status: 408)))
        expect(Self.errors.prefix(2).map { both.map(\.status)[$0] }, equals: [408, 410])
    }
}

@Suite("A map converts the errors that a layer throws to that layer's own error", .hangLimit)
struct ErrorMapThrowingTests {}

extension ErrorMapThrowingTests {
    private enum Checkout: CancellationConvertible, Equatable {
        case declined(Int), cancelled, offline, unavailable

        var isCancellation: Bool { self == .cancelled }
    }

    private static let level = ErrorMap(default: Checkout.unavailable)
        .on(matching: .cancellation, .cancelled)
        .on(domain: NSURLErrorDomain, .offline)
        .on(Zoo.Payment.self) { error in
            if case .declined(let code) = error { .declined(code) } else { .unavailable }
        }

    /// The error as the compiler sees it, with its type.
    private func thrown(by operation: () async throws -> Int) async -> Checkout? {
        do throws(Checkout) {
            _ = try await Self.level.throwing(operation)
            return nil
        } catch {
            return error
        }
    }

    private func thrownNow(_ level: ErrorMap<Checkout> = level, by operation: () throws -> Int) -> Checkout? {
        do throws(Checkout) {
            _ = try level.throwing(operation)
            return nil
        } catch {
            return error
        }
    }

    @Test("each error becomes its rule's value or the default; the layer's own error stays if no rule matches")
    func rules() async {
        expect(await thrown { throw Zoo.Payment.declined(code: 51) }, equals: .declined(51))
        expect(await thrown { throw URLError(.notConnectedToInternet) }, equals: .offline)
        expect(await thrown { throw Zoo.Offline() }, equals: .unavailable)
        expect(thrownNow { throw Zoo.Payment.declined(code: 7) }, equals: .declined(7))
        expect(await thrown { throw Checkout.declined(3) }, equals: .declined(3))
        let boxed = await thrown { try await withCheckedThrowingContinuation { $0.resume(throwing: Checkout.offline) } }
        expect(boxed, equals: .offline)
        let strict = Self.level.on(Checkout.self, .unavailable)
        expect(thrownNow(strict) { throw Checkout.offline }, equals: .unavailable)
    }

    @Test("a cancellation passes if a rule lets it, and callers that check still recognize it as a cancellation")
    func cancellation() async {
        let error = await Task {
            await thrown {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await Task.sleep(for: .seconds(1_000))
                return 1
            }
        }.value
        expect(error, equals: .cancelled)
        expect(error.map { ErrorMatcher.cancellation ~= $0 }, equals: true)
    }

    @MainActor
    @Test("a result is returned, immediately or after a suspension, and the operation keeps the caller's isolation")
    func isolation() async throws {
        var count = 0
        try await Self.level.throwing {
            count += 1
            await Task.yield()
            MainActor.preconditionIsolated()
            count += 1
        }
        expect(count, equals: 2)
        expect(try Self.level.throwing { 1 }, equals: 1)
        let value = try await Self.level.throwing {
            await Task.yield()
            return 2
        }
        expect(value, equals: 2)
    }
}
