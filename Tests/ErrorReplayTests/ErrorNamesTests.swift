import Foundation
import TestSupport
import Testing

@testable import ErrorReplay
// `underlyingErrors()` is internal.
@testable import ErrorRouting

@Suite(
    "An error's names determine what its rules do, or that the error itself is needed", .tags(.promise5), .hangLimit
)
struct ErrorNamesTests {
    private enum Order: Error, Equatable { case late, lost }
    private final class Base: Error {}
    private struct Coded: CustomNSError {
        static let errorDomain = "orders"
        var errorCode = 3
    }
    private struct Stopped: Error, CancellationConvertible { let isCancellation: Bool }
    private struct Outer: Error { let inner: any Error }

    private static let errors: [any Error] = [
        Order.late, Order.lost, Base(), Coded(), Coded(errorCode: 4), Stopped(isCancellation: true),
        Stopped(isCancellation: false), CancellationError(), Outer(inner: Order.late), Outer(inner: Coded()),
        Outer(inner: Outer(inner: URLError(.timedOut))), NSError(domain: "orders", code: 3), POSIXError(.ENOENT),
        NSError(domain: NSPOSIXErrorDomain, code: 2), NSError(domain: NSPOSIXErrorDomain, code: -7),
        URLError(.timedOut), CocoaError(.fileNoSuchFile),
    ]

    private static func matchers() -> [(matcher: ErrorMatcher<any Error>, decides: Bool)] {
        let never = ErrorMatcher<any Error>.predicate { _ in false }
        return [
            (.any, true), (.cancellation, true), (!(!.cancellation), true), (!(.type(Order.self)), true),
            (.type(Coded.self) || .type(POSIXError.self), true), (.any && .nsError(domain: "orders", code: 3), true),
            (.any && .nsError(domain: NSPOSIXErrorDomain), true), (.any && .type(NSError.self), false),
            (.any && .anywhere(.type(Order.self)), true), (.any && .anywhere(.type(URLError.self)), true),
            (.any && .value(Order.late), false), (.any && .conforming(to: (any LocalizedError).self), false),
            (.any && .extracting(Order.self) { $0 == .late ? 1 : nil }, false), (never, false),
            (never && .type(Order.self), false), (.any && .anywhere(.value(Order.late)), false),
            (ErrorMatcher<any Error>.any.where { _ in true }.named("cancellation"), false),
            (.any && .nsError(domain: String(reflecting: Order.self), code: 1), false),
        ]
    }

    private static func names(of error: any Error) -> ErrorNames {
        let report = ErrorReport(error: error, source: .init())
        return ErrorNames(
            typeName: report.typeName, domain: report.domainAndCode?.domain, code: report.domainAndCode?.code,
            isCancellation: ErrorMatcher.cancellation.match(error) != nil,
            underlying: report.underlyingErrors().map { names(of: $0) })
    }

    private static func explain(_ rules: ErrorHandler, _ names: ErrorNames) -> Explanation {
        ReplayRules.Path.bus(rules).explain(named: names)
    }
}

extension ErrorNamesTests {
    @Test("a verdict by the names equals the error's own verdict; types, domains, and cancellations always have one")
    func agreement() {
        for (matcher, decides) in Self.matchers() {
            for (ignores, error) in [(true, Self.errors), (false, Self.errors)].flatMap({ row in
                row.1.map { (row.0, $0) }
            }) {
                let rules =
                    ignores
                    ? ErrorHandler().ignore(matching: matcher) : ErrorHandler().on(matching: matcher) { _ in .stop }
                let (known, named) = (rules.explain(error), Self.explain(rules, Self.names(of: error)))
                if named.disposition == .pending {
                    #expect(!decides || error is Base, "\(matcher), \(error)")
                    expect(named.entries.map(\.verdict), equals: [.undecided])
                } else {
                    expect(named.disposition, equals: known.disposition, "\(matcher), \(error)")
                    expect(named.entries.map(\.verdict), equals: known.entries.map(\.verdict))
                }
            }
        }
    }

    @Test("an undecided rule matters if the handling could end at it, and doesn't matter after the end")
    func outcome() {
        let rules = ErrorHandler()
            .on(Order.late) { _ in .stop }
            .on(Order.self) { _ in .next }
            .onNoMatch { _ in .stop }
        let explanation = Self.explain(rules, ErrorNames(typeName: TypeNames.order))
        expect(
            explanation.entries.map(\.verdict),
            equals: [
                .matched, .undecided, .notReached(because: "rule 1 matched"),
            ])
        expect(explanation.disposition, equals: .handled)
        expect(explanation.outcome(matchedRuleCount: 1).rule?.matcher, equals: "type(Order)")
        expect(explanation.outcome(matchedRuleCount: 2).disposition, equals: .pending)
        expect("\(explanation.error)", equals: TypeNames.order)
        #expect(explanation.description.contains("not known: the error itself would decide"))
        let reversed = Self.explain(
            ErrorHandler().on(Order.self) { _ in .stop }.on(Order.late) { _ in .stop },
            ErrorNames(typeName: TypeNames.order))
        expect(reversed.entries.map(\.verdict), equals: [.undecided, .matchedIfReached])
        expect(reversed.disposition, equals: .pending)
        // If the underlying errors are unknown, they might be anything.
        let under = Self.explain(
            ErrorHandler().on(matching: .anywhere(.type(Base.self))) { _ in .stop },
            ErrorNames(typeName: TypeNames.order, underlying: nil))
        expect(under.disposition, equals: .pending)
        let scope = ErrorBus(handler: ErrorHandler()).scope("pay", handler: rules)
        expect(
            ReplayRules.Path.scope(scope).explain(named: ErrorNames(typeName: TypeNames.order)).entries.map(\.scope),
            equals: [
                ["pay"], ["pay"], ["pay"],
            ])
    }

    private enum TypeNames { static let order = ErrorReport(error: Order.late, source: .init()).typeName }
}
