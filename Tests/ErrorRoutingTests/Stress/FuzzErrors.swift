import ErrorRouting
import Foundation
import TestSupport

/// Errors with members that return random results.
enum FuzzErrors {
    struct Value: Error, Hashable {
        let number: Int

        static func == (one: Value, other: Value) -> Bool {
            FuzzMischief.act(about: one)
            return (one.number == other.number) != FuzzMischief.lies()
        }

        func hash(into hasher: inout Hasher) {
            FuzzMischief.act(about: self)
            hasher.combine(FuzzMischief.lies() ? FuzzMischief.number(below: 5) : number)
        }
    }

    struct Text: LocalizedError, CustomStringConvertible {
        var description: String {
            FuzzMischief.act(about: self)
            return FuzzMischief.text
        }

        var errorDescription: String? {
            FuzzMischief.act(about: self)
            return FuzzMischief.lies() ? nil : FuzzMischief.text
        }
    }

    struct Group: UnderlyingErrorsProviding {
        var inner: [any Error] = []

        var underlyingErrors: [any Error] {
            FuzzMischief.act(about: self)
            if FuzzMischief.lies() { return [any Error](repeating: self, count: 2_000) }
            return inner + [Group(inner: inner) as any Error]
        }
    }

    struct Reflected: Error, CustomReflectable {
        var inner: any Error

        var customMirror: Mirror {
            FuzzMischief.act(about: inner)
            let styles: [Mirror.DisplayStyle?] = [.struct, .enum, .collection, .tuple, .optional, .class, nil]
            let style = styles[FuzzMischief.number(below: styles.count)]
            let children = (0..<FuzzMischief.number(below: 3) * 2_000 + 2).lazy.map { number in
                (label: "child\n" as String?, value: (number == 1 ? inner : self) as Any)
            }
            return Mirror(self, children: AnyCollection(children), displayStyle: style)
        }
    }

    struct Coded: CustomNSError {
        static let errorDomain = "fuzz"
        var inner: any Error

        var errorCode: Int {
            FuzzMischief.act(about: inner)
            return FuzzMischief.number(below: 3)
        }

        var errorUserInfo: [String: Any] {
            FuzzMischief.act(about: self)
            let many: [any Error] = [inner, self]
            return [NSUnderlyingErrorKey: inner, "NSMultipleUnderlyingErrorsKey": many]
        }
    }

    /// An error whose deinit posts another error.
    final class Last: Error {
        deinit { FuzzMischief.act(about: Value(number: 0)) }
    }

    actor Acting: Error {
        var inner: any Error
        init(_ inner: any Error) { self.inner = inner }
        func change(_ inner: any Error) { self.inner = inner }
    }

    // Return a new error each time, and don't store it.
    final class Endless: NSError, @unchecked Sendable {
        override var userInfo: [String: Any] {
            FuzzMischief.act(about: Value(number: 1))
            return [NSUnderlyingErrorKey: Endless(domain: "fuzz", code: FuzzMischief.number(below: 2))]
        }

        override var localizedDescription: String { FuzzMischief.text }
    }

    indirect enum Case: Error, Equatable {
        case plain
        case numbers([[Int]])
        case nested(Case?)

        static func == (one: Case, other: Case) -> Bool {
            FuzzMischief.act(about: one)
            return !FuzzMischief.lies()
        }
    }

    /// One error of any kind, in any number of boxes.
    static func any(_ random: inout SplitMix64, depth: Int = 3) -> any Error {
        func inner() -> any Error { depth == 0 ? Value(number: 0) : any(&random, depth: depth - 1) }
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        let error: any Error =
            switch number(15) {
            case 0: Value(number: number(4))
            case 1: Text()
            case 2: Group(inner: [inner(), inner()])
            case 3: Reflected(inner: inner())
            case 4: Coded(inner: inner())
            case 5: Last()
            case 6: Acting(inner())
            case 7: Endless(domain: "fuzz", code: number(3))
            case 8: Case.numbers([[Int]](repeating: Array(0..<number(500)), count: number(500)))
            case 9: Case.nested(.nested(.plain))
            case 10: URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: inner()])
            case 11: NSError(domain: NSURLErrorDomain, code: -number(2_000), userInfo: ["errors": [inner()]])
            case 12: DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "", underlyingError: inner()))
            case 13: CancellationError()
            default: BoxHolder(inner: inner())
            }
        return (0..<number(3)).reduce(error) { error, _ in boxed(error) }
    }

    private static func boxed<F: Error>(_ error: F) -> any Error { error }
}
