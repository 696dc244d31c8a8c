import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import ErrorReplay

@Suite("A type and a case determine an error's kind if it can't have underlying errors", .tags(.recording4), .hangLimit)
struct ErrorCaseTests {
    private enum Order: Error, @unchecked Sendable {
        case late, lost
        case coded(code: Int), named(String), both(code: Int, reason: String)
        case anything(Any), labeled(it: any Sendable), pair(Any, Int), caused(any Error), maybe(Other?)
    }
    private enum Other: Error { case late }
    private struct Fields: Error {
        var code = 1
        var reason = "x"
    }
    private struct Loose: Error { var value: any Sendable = 1 }
    private struct Domain: CustomNSError { static let errorDomain = "orders" }
    private struct Group: UnderlyingErrorsProviding { var underlyingErrors: [any Error] { [] } }
    private struct Mirrored: Error, CustomReflectable { var customMirror: Mirror { Mirror(self, children: []) } }
    private final class Object: Error {}
    /// Two cases with the same name.
    private enum Alike: Error, RawRepresentable {
        case one, two
        init?(rawValue: Int) { nil }
        var rawValue: Int { 7 }
        var _code: Int { 7 }
    }
}

extension ErrorCaseTests {
    @Test("a kind is known if all fields have common types, and includes errors that differ in the fields")
    func plain() throws {
        let alike: [(any Error, any Error)] = [
            (Order.late, Order.late), (Order.coded(code: 1), Order.coded(code: 2)),
            (Order.named("a"), Order.named("b")), (Order.both(code: 1, reason: ""), Order.both(code: 2, reason: "x")),
            (Fields(), Fields(code: 2, reason: "")), (Alike.one, Alike.one), (Other.late, Other.late),
        ]
        for (position, (error, other)) in alike.enumerated() {
            let errorCase = try #require(ErrorCase(decidingKindOf: error), "\(error)")
            #expect(errorCase.includes(error) && errorCase.includes(other), "\(error)")
            for (index, (different, _)) in alike.enumerated() where index != position {
                #expect(!errorCase.includes(different), "\(error), \(different)")
            }
        }
        #expect(ErrorCase(decidingKindOf: Alike.one)?.includes(Alike.two) == false)
        #expect(ErrorCase(decidingKindOf: Order.late)?.includes(Order.lost) == false)
    }

    @Test("a kind is unknown if another error might have underlying errors, or another domain or code")
    func unknown() {
        // The fields now contain numbers, and tuples of numbers.
        let errors: [any Error] = [
            Order.anything(1), Order.anything((code: 1, 2)), Order.labeled(it: 1), Order.pair(1, 2), Loose(),
            Order.caused(Other.late), Order.maybe(nil), Domain(), Group(), Mirrored(), Object(),
            NSError(domain: "d", code: 1), URLError(.timedOut),
        ]
        for error in errors { #expect(ErrorCase(decidingKindOf: error) == nil, "\(error)") }
    }

    private func box<E: Error>(_ error: E) -> any Error { error }
}
