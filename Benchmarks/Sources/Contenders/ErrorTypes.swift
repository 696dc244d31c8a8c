/// A thousand error types: three decimal digits as generic arguments.
public enum Numbered<Hundreds: Digit, Tens: Digit, Ones: Digit>: Error {
    case failed(Int)
}

/// A decimal digit as a type.
public protocol Digit: Sendable {}

public enum D0: Digit {}
public enum D1: Digit {}
public enum D2: Digit {}
public enum D3: Digit {}
public enum D4: Digit {}
public enum D5: Digit {}
public enum D6: Digit {}
public enum D7: Digit {}
public enum D8: Digit {}
public enum D9: Digit {}

/// The digits in order.
let digits: [any Digit.Type] = [
    D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
]

/// Calls a visitor with one of the thousand types.
func visit(_ number: Int, _ visitor: inout some ErrorTypeVisitor) {
    digits[number / 100 % 10].asHundreds(number, &visitor)
}

extension Digit {
    fileprivate static func asHundreds(_ number: Int, _ visitor: inout some ErrorTypeVisitor) {
        digits[number / 10 % 10].asTens(Self.self, number, &visitor)
    }

    fileprivate static func asTens<H: Digit>(_: H.Type, _ number: Int, _ visitor: inout some ErrorTypeVisitor) {
        digits[number % 10].asOnes(H.self, Self.self, number, &visitor)
    }

    fileprivate static func asOnes<H: Digit, T: Digit>(
        _: H.Type, _: T.Type, _ number: Int, _ visitor: inout some ErrorTypeVisitor
    ) {
        visitor.visit(Numbered<H, T, Self>.self, sample: .failed(number))
    }
}

protocol ErrorTypeVisitor {
    mutating func visit<E: Error>(_ type: E.Type, sample: E)
}

/// Eight plain types, for the hand-written switches.
public struct E1: Error { public var code = 1; public init() {} }
public struct E2: Error { public var code = 2; public init() {} }
public struct E3: Error { public var code = 3; public init() {} }
public struct E4: Error { public var code = 4; public init() {} }
public struct E5: Error { public var code = 5; public init() {} }
public struct E6: Error { public var code = 6; public init() {} }
public struct E7: Error { public var code = 7; public init() {} }
public struct E8: Error { public var code = 8; public init() {} }

/// A type that no rule is for.
public struct Unknown: Error { public init() {} }

/// An error with many values.
public enum Status: Error, Hashable { case code(Int) }

/// A hierarchy three deep.
open class BaseError: Error, @unchecked Sendable { public init() {} }
open class MiddleError: BaseError, @unchecked Sendable {}
public final class LeafError: MiddleError, @unchecked Sendable {}

/// An error with another one under it.
public struct Wrapper: Error {
    public let cause: any Error
    public init(_ cause: any Error) { self.cause = cause }
}

/// Takes a value and does nothing with it, which the compiler cannot know.
@inline(never)
@_optimize(none)
public func consume<T>(_ value: T) {}
