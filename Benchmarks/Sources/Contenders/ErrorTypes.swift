/// A thousand error types, which have three decimal digits as generic arguments.
package enum Numbered<Hundreds: Digit, Tens: Digit, Ones: Digit>: Error {
    case failed(Int)
}

/// A decimal digit as a type.
package protocol Digit: Sendable {}

package enum D0: Digit {}
package enum D1: Digit {}
package enum D2: Digit {}
package enum D3: Digit {}
package enum D4: Digit {}
package enum D5: Digit {}
package enum D6: Digit {}
package enum D7: Digit {}
package enum D8: Digit {}
package enum D9: Digit {}

/// The digits, in order.
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

/// Ten plain types, for the hand-written switches.
package struct E1: Error { package var code = 1; package init() {} }
package struct E2: Error { package var code = 2; package init() {} }
package struct E3: Error { package var code = 3; package init() {} }
package struct E4: Error { package var code = 4; package init() {} }
package struct E5: Error { package var code = 5; package init() {} }
package struct E6: Error { package var code = 6; package init() {} }
package struct E7: Error { package var code = 7; package init() {} }
package struct E8: Error { package var code = 8; package init() {} }
package struct E9: Error { package var code = 9; package init() {} }
package struct E10: Error { package var code = 10; package init() {} }

/// A type without a rule.
package struct Unknown: Error { package init() {} }

/// An error with many values.
package enum Status: Error, Hashable { case code(Int) }

/// Structs with many values, one of which isn't `Hashable`.
package struct Counted: Error, Hashable { package var number: Int }
package struct Compared: Error, Equatable { package var number: Int }

/// An additional error type for each error type and digit.
package struct Again<Original: Error, Times: Digit>: Error {}

/// A class hierarchy with three layers.
package class BaseError: Error, @unchecked Sendable { package init() {} }
package class MiddleError: BaseError, @unchecked Sendable {}
package final class LeafError: MiddleError, @unchecked Sendable {}

/// An error with an underlying error.
package struct Wrapper: Error {
    package let cause: any Error
    package init(_ cause: any Error) { self.cause = cause }
}

/// Uses a value without doing anything, so that the compiler can't remove the computation of the value.
@inline(never)
@_optimize(none)
package func consume<T>(_ value: T) {}
