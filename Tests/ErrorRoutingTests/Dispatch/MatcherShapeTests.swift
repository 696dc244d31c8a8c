import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

/// A match that a shape calls certain is passed without a cast, so a wrong shape would read wrong memory.
@Suite(
    "Behaviours 6 to 10 and 23: a shape's verdict on an error's type is correct", .tags(.behaviour6, .behaviour23),
    .hangLimit)
struct MatcherShapeTests {}

extension MatcherShapeTests {
    /// The errors that each row is checked with.
    private static let errors: [any Error] = [
        Zoo.Payment.expired, Zoo.Bird(), Zoo.Owl(), Zoo.Localized(), URLError(.timedOut),
        NSError(domain: NSURLErrorDomain, code: -1001),
    ]

    /// A shape, its verdict on each error's type, and its output if the verdict is certain.
    private struct Row {
        let shape: MatcherShape
        let words: [Likelihood]
        /// Whether an error has the matcher's output type, which actions read it as.
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

    /// The name of a shape; a new shape needs a name here, and then a row.
    private static func name(_ shape: MatcherShape) -> String {
        switch shape {
        case .type: "type"
        case .any: "any"
        case .value: "value"
        case .nsError: "nsError"
        case .conforming: "conforming"
        case .extracting: "extracting"
        case .predicate: "predicate"
        case .anywhere: "anywhere"
        case .narrowed: "narrowed"
        case .either: "either"
        case .both: "both"
        case .not: "not"
        case .named: "named"
        case .cancellation: "cancellation"
        }
    }

    @Test("each shape's verdict on each type is the table's, and is certain only for its own output")
    func table() {
        expect(Set(Self.rows.map { Self.name($0.shape) }).count, equals: 14)
        for row in Self.rows {
            for (error, word) in zip(Self.errors, row.words) {
                var compared = ErrorOfType(ErrorSubject(UnboxedError(error)))
                let said = row.shape.likelihood(for: &compared)
                #expect(said == word, "\(row.shape) of \(type(of: error))")
                if said == .certain { #expect(row.isOutput(error), "\(row.shape) of \(type(of: error))") }
                // Rules of a small block aren't compared with the type, but only by their required type.
                let isOfRequiredType = row.shape.requirement.type.map { $0 == ObjectIdentifier(type(of: error)) }
                if isOfRequiredType == false { expect(said, equals: .never) }
                if row.shape.requirement.isOnlyType, isOfRequiredType != false { expect(said, equals: .certain) }
            }
        }
    }
}
