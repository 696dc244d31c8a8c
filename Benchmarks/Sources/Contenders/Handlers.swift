import ErrorRouting
import Foundation

/// Creates this package's handlers with a number of rules.
///
/// The error's rule is registered first, so that a list would be scanned from its last rule to its first.
package enum Handlers {
    /// Returns a handler with rules for a number of types.
    package static func types(_ count: Int) -> ErrorHandler {
        var builder = TypeBuilder()
        for number in 0..<count { visit(number, &builder) }
        return builder.handler
    }

    /// Returns a handler with rules for at most 10,000 types.
    ///
    /// If `isUsedAfterEach` is true, the handler handles an error after each added rule.
    package static func manyTypes(_ count: Int, isUsedAfterEach: Bool) -> ErrorHandler {
        var builder = TypeBuilder()
        for number in 0..<count {
            builder.again = number < 1_000 ? nil : digits[number / 1_000]
            visit(number % 1_000, &builder)
            if isUsedAfterEach { consume(builder.handler.handleSynchronously(Unknown())) }
        }
        return builder.handler
    }

    /// Returns a handler with rules for a number of domains, each with one code.
    package static func domains(_ count: Int) -> ErrorHandler {
        (0..<count).reduce(ErrorHandler()) { handler, number in
            handler.on(domain: "contenders.\(number)", code: 1) {
                consume($0.code); return .stop
            }
        }
    }

    /// The error whose rule ``types(_:)`` adds first.
    package static var firstOfTypes: any Error { Numbered<D0, D0, D0>.failed(0) }

    /// Returns a handler with rules for the eight plain types.
    package static func plainTypes() -> ErrorHandler {
        ErrorHandler()
            .on(E1.self) {
                consume($0.code); return .stop
            }
            .on(E2.self) {
                consume($0.code); return .stop
            }
            .on(E3.self) {
                consume($0.code); return .stop
            }
            .on(E4.self) {
                consume($0.code); return .stop
            }
            .on(E5.self) {
                consume($0.code); return .stop
            }
            .on(E6.self) {
                consume($0.code); return .stop
            }
            .on(E7.self) {
                consume($0.code); return .stop
            }
            .on(E8.self) {
                consume($0.code); return .stop
            }
    }

    /// Returns a handler with rules for the ten plain types.
    package static func tenTypes() -> ErrorHandler {
        plainTypes()
            .on(E9.self) {
                consume($0.code); return .stop
            }
            .on(E10.self) {
                consume($0.code); return .stop
            }
    }

    /// Returns a handler with rules for a number of values of one `Hashable` type.
    package static func values(_ count: Int) -> ErrorHandler {
        (0..<count).reduce(ErrorHandler()) { handler, number in
            handler.on(Status.code(number)) {
                consume($0); return .stop
            }
        }
    }

    /// Returns a handler with rules for a number of codes of one `NSError` domain.
    package static func codes(_ count: Int) -> ErrorHandler {
        (0..<count).reduce(ErrorHandler()) { handler, number in
            handler.on(domain: "contenders", code: number) {
                consume($0.code); return .stop
            }
        }
    }

    /// Returns a handler with rules for a number of types, of which the first is a class whose subclasses match too.
    package static func hierarchy(_ count: Int) -> ErrorHandler {
        var builder = TypeBuilder(
            handler: ErrorHandler().on(BaseError.self) {
                consume($0); return .stop
            })
        for number in 1..<max(count, 1) { visit(number, &builder) }
        return builder.handler
    }

    /// Returns a handler with a number of `anywhere` rules, of which the first matches an underlying error.
    package static func anywhere(_ count: Int) -> ErrorHandler {
        var builder = TypeBuilder(isAnywhere: true)
        for number in 0..<count { visit(number, &builder) }
        return builder.handler
    }

    /// Returns a handler with one `always` and no rules.
    package static func always() -> ErrorHandler {
        ErrorHandler().always { _ in .next }
    }

    /// Returns a handler with one asynchronous action.
    package static func asynchronous() -> ErrorHandler {
        ErrorHandler().on(E1.self) { error in
            await nothing()
            consume(error.code)
            return .stop
        }
    }

    /// Returns a handler with rules on top of a preset.
    ///
    /// The preset ignores cancellations and reports errors that the rules don't match.
    package static func preset(_ rules: ErrorHandler) -> ErrorHandler {
        ErrorHandler()
            .ignore(matching: .cancellation)
            .onNoMatch {
                consume($0); return .stop
            }
            .overlaid(with: rules)
    }

    /// Returns a handler that logs each error and reads its outcome.
    package static func logging() -> ErrorHandler {
        .logging { _, report in consume(report.outcome.isHandled) }
    }

    /// Returns a handler that makes a log call for each error, with its metadata.
    package static func logCall() -> ErrorHandler {
        .logging { error, report in
            log(
                error, isHandled: report.outcome.isHandled, fileID: report.source.fileID, line: report.source.line)
        }
    }

    /// Returns a handler with one rule whose action receives the report.
    package static func reportTaker() -> ErrorHandler {
        ErrorHandler().on(E1.self) { error, report in
            consume(error.code)
            consume(report.sequence)
            return .stop
        }
    }

    /// Returns a handler with rules for the eight plain types whose actions receive the report.
    package static func plainReportTakers() -> ErrorHandler {
        ErrorHandler()
            .on(E1.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
            .on(E2.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
            .on(E3.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
            .on(E4.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
            .on(E5.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
            .on(E6.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
            .on(E7.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
            .on(E8.self) { error, report in
                consume(error.code)
                consume(report.sequence)
                return .stop
            }
    }

    /// Returns a handler with a number of predicates, of which only the predicate that was registered first is true.
    package static func predicates(_ count: Int) -> ErrorHandler {
        (0..<count).reduce(ErrorHandler()) { handler, number in
            handler.on(matching: .predicate { Predicates.holds(number, $0) }) {
                consume($0); return .stop
            }
        }
    }

    /// Returns a handler with one rule, for an error that is never posted.
    package static func stranger() -> ErrorHandler {
        ErrorHandler().on(Unknown.self) {
            consume($0); return .stop
        }
    }

    /// Returns a handler with two rules, for errors that are never posted.
    package static func strangers() -> ErrorHandler {
        stranger().on(BaseError.self) {
            consume($0); return .stop
        }
    }

    /// Returns a map with rules for a number of types.
    package static func map(_ count: Int) -> ErrorMap<Int> {
        var builder = MapBuilder()
        for number in 0..<count { visit(number, &builder) }
        return builder.map
    }

    @inline(never)
    static func nothing() async {}

    private struct TypeBuilder: ErrorTypeVisitor {
        var handler = ErrorHandler()
        var isAnywhere = false
        /// The digit that forms the rule's type together with the visited type; nil to use the visited type itself.
        var again: (any Digit.Type)?

        mutating func visit<E: Error>(_ type: E.Type, sample: E) {
            if let again = again.take() { return visit(E.self, again) }
            handler =
                isAnywhere
                ? handler.on(matching: .anywhere(.type(type))) {
                    consume($0); return .stop
                }
                : handler.on(type) {
                    consume($0); return .stop
                }
        }

        private mutating func visit<E: Error, Times: Digit>(_ type: E.Type, _ times: Times.Type) {
            visit(Again<E, Times>.self, sample: Again())
        }
    }

    private struct MapBuilder: ErrorTypeVisitor {
        var map = ErrorMap<Int>(default: 0)

        mutating func visit<E: Error>(_ type: E.Type, sample: E) { map = map.on(type, 1) }
    }
}

/// The predicates that both the handlers and the rivals call.
enum Predicates {
    /// Returns whether a number is 0.
    ///
    /// The result doesn't depend on the error, so that only the rules' own cost is measured.
    @inline(never)
    static func holds(_ number: Int, _ error: any Error) -> Bool { number == 0 }
}
