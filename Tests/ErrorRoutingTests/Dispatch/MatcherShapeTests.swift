import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

/// A shape determines which matchers are called for an error, so a wrong shape makes a match fail.
@Suite(
    "Promises 6 to 10 and 23: a shape's verdict on an error's type is correct", .tags(.promise6, .promise23),
    .hangLimit)
struct MatcherShapeTests {}

extension MatcherShapeTests {
    /// The errors with which each row is checked.
    private static let errors: [any Error] = [
        Zoo.Payment.expired, Zoo.Bird(), Zoo.Owl(), Zoo.Localized(), URLError(.timedOut),
        NSError(domain: NSURLErrorDomain, code: -1001),
    ]

    /// A shape, its verdict on each error's type, and its output if the verdict is certain.
    private struct Row {
        let shape: MatcherShape
        let words: [Likelihood]
        /// Whether an error has the matcher's output type, which is the type that actions receive.
        let isOutput: (any Error) -> Bool

        init<Output>(_ matcher: ErrorMatcher<Output>, _ words: Likelihood...) {
            shape = matcher.shape
            self.words = words
            isOutput = { Output.self == (any Error).self || type(of: $0) is Output.Type }
        }
    }

    private static var rows: [Row] {
        [
            Row(.type(Zoo.Payment.self), .certain, .never, .never, .never, .never, .never),
            Row(.type(Zoo.Bird.self), .never, .certain, .certain, .never, .never, .never),
            Row(.type(Zoo.Owl.self), .never, .never, .certain, .never, .never, .never),
            Row(.type(URLError.self), .never, .never, .never, .never, .certain, .maybe),
            Row(.type(NSError.self), .never, .never, .never, .never, .never, .certain),
            Row(ErrorMatcher.type(Zoo.Payment.self).erased, .certain, .never, .never, .never, .never, .never),
            Row(
                ErrorMatcher<any Error>.type((any Error).self), .certain, .certain, .certain, .certain, .certain,
                .certain),
            Row(.any, .certain, .certain, .certain, .certain, .certain, .certain),
            Row(.value(Zoo.Payment.expired), .maybe, .never, .never, .never, .never, .never),
            Row(.value(URLError(.timedOut)), .never, .never, .never, .never, .maybe, .maybe),
            Row(.nsError(domain: NSURLErrorDomain), .maybe, .maybe, .maybe, .maybe, .maybe, .maybe),
            Row(.conforming(to: (any LocalizedError).self), .never, .never, .never, .always, .never, .maybe),
            Row(.conforming(to: Zoo.Owl.self), .never, .never, .certain, .never, .never, .never),
            Row(.extracting(Zoo.Bird.self) { $0.name }, .never, .maybe, .maybe, .never, .never, .never),
            Row(.predicate { _ in true }, .maybe, .maybe, .maybe, .maybe, .maybe, .maybe),
            Row(.anywhere(.type(Zoo.Bird.self)), .maybe, .always, .always, .maybe, .maybe, .maybe),
            Row(.type(Zoo.Bird.self).where { _ in true }, .never, .maybe, .maybe, .never, .never, .never),
            Row(.type(Zoo.Bird.self).named("bird"), .never, .certain, .certain, .never, .never, .never),
            Row(
                ErrorMatcher.type(Zoo.Bird.self) || .type(Zoo.Payment.self), .always, .always, .always, .never, .never,
                .never),
            Row(.type(Zoo.Bird.self) && ErrorMatcher.any, .never, .always, .always, .never, .never, .never),
            Row(.cancellation, .never, .never, .never, .never, .never, .maybe),
            Row(!ErrorMatcher.type(Zoo.Bird.self), .always, .never, .never, .always, .always, .always),
        ]
    }

    /// The kinds of shapes, each of which needs a row in the table.
    private enum Kind: CaseIterable {
        case type, any, value, nsError, conforming, extracting, predicate, anywhere, narrowed, either, both, not, named
        case cancellation

        /// The kind of a shape: for a new shape, the compiler requires a kind here, and then the test requires a row.
        init(_ shape: MatcherShape) {
            self =
                switch shape {
                case .type: .type
                case .any: .any
                case .value: .value
                case .nsError: .nsError
                case .conforming: .conforming
                case .extracting: .extracting
                case .predicate: .predicate
                case .anywhere: .anywhere
                case .narrowed: .narrowed
                case .either: .either
                case .both: .both
                case .not: .not
                case .named: .named
                case .cancellation: .cancellation
                }
        }
    }

    @Test("each shape's verdict on each type agrees with the table, and is certain only for its own output")
    func table() {
        expect(Set(Self.rows.map { Kind($0.shape) }), equals: Set(Kind.allCases))
        for row in Self.rows {
            for (error, word) in zip(Self.errors, row.words) {
                var subject = ErrorSubject(error)
                let said = subject.likelihood(of: row.shape, readsDomain: false)
                #expect(said == word, "\(row.shape) of \(type(of: error))")
                if said == .certain { #expect(row.isOutput(error), "\(row.shape) of \(type(of: error))") }
                // Rules in a small block aren't compared with the type, but only by their required type.
                let isOfRequiredType = row.shape.requiredType.map { $0 == ObjectIdentifier(type(of: error)) }
                if isOfRequiredType == false { expect(said, equals: .never) }
            }
        }
    }

    /// A matcher with a shape that is certain to match every error, regardless of the matcher's output.
    private static func wrong<Output: Sendable>(_ type: Output.Type) -> ErrorMatcher<Output> {
        ErrorMatcher(.any) { _ in nil }
    }

    @Test("a shape that is wrongly certain about an error counts as a failed match, in every kind of rule")
    func wrongShape() async {
        func check<Output: Sendable>(_ type: Output.Type, _ error: any Error) async {
            let ran = Journal<String>()
            let handlers = [
                ErrorHandler().on(matching: Self.wrong(type)) { _ in
                    ran.note("synchronous"); return .stop
                },
                ErrorHandler().on(matching: Self.wrong(type)) { _, _ in
                    ran.note("with report"); return .stop
                },
                ErrorHandler().on(matching: Self.wrong(type)) { _ in
                    await Task.yield()
                    ran.note("asynchronous"); return .stop
                },
                ErrorHandler().on(matching: Self.wrong(type)) { _, _ in
                    await Task.yield()
                    ran.note("asynchronous, with report"); return .stop
                },
            ]
            for handler in handlers {
                expect(await handler.handle(error).disposition, equals: .unmatched)
                // Use more rules than are read linearly, so that there is a plan.
                let planned = (0..<9).reduce(handler) { handler, _ in handler.ignore(Zoo.Offline.self) }
                expect(await planned.handle(error).disposition, equals: .unmatched)
            }
            expect(ErrorMap(default: 0).on(matching: Self.wrong(type)) { _ in 1 }[error], equals: 0)
            expect(ran.entries, equals: [])
        }
        for error in [Zoo.Payment.expired, Zoo.Bird(), NSError(domain: "a", code: 1)] as [any Error] {
            await check(Int.self, error)
            await check(Zoo.Timeout.self, error)
            await check(Zoo.Owl.self, error)
            await check(URLError.self, error)
            await check((any LocalizedError).self, error)
            await check(String.self, error)
        }
        await check(NSError.self, Zoo.Payment.expired)
        await check(Zoo.Payment.self, Zoo.Bird())
        // The check isn't stricter than the types: a subclass can be read as its superclass.
        let superclass = ErrorHandler().on(matching: Self.wrong(Zoo.Bird.self)) { _ in .stop }
        expect(await superclass.handle(Zoo.Owl()).disposition, equals: .handled)
    }
}
