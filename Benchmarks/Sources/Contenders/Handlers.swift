import ErrorRouting
import Foundation

/// Handlers of this package's with a number of rules.
///
/// Each kind is asked for an error whose rule was registered first, so that a list which is scanned last-first has to
/// go all the way.
package enum Handlers {
    /// Rules for that many types.
    package static func types(_ count: Int) -> ErrorHandler {
        var builder = TypeBuilder()
        for number in 0..<count { visit(number, &builder) }
        return builder.handler
    }

    /// The error whose rule is the first of ``types(_:)``.
    package static var firstOfTypes: any Error { Numbered<D0, D0, D0>.failed(0) }

    /// Rules for the eight plain types.
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

    /// Rules for that many values of one `Hashable` type.
    package static func values(_ count: Int) -> ErrorHandler {
        (0..<count).reduce(ErrorHandler()) { handler, number in
            handler.on(Status.code(number)) {
                consume($0); return .stop
            }
        }
    }

    /// Rules for that many codes of one `NSError` domain.
    package static func codes(_ count: Int) -> ErrorHandler {
        (0..<count).reduce(ErrorHandler()) { handler, number in
            handler.on(domain: "contenders", code: number) {
                consume($0.code); return .stop
            }
        }
    }

    /// Rules for that many types, the first of which is a class that a subclass's error is matched by.
    package static func hierarchy(_ count: Int) -> ErrorHandler {
        var builder = TypeBuilder(
            handler: ErrorHandler().on(BaseError.self) {
                consume($0); return .stop
            })
        for number in 1..<max(count, 1) { visit(number, &builder) }
        return builder.handler
    }

    /// That many rules that look under errors; the first of them finds something.
    package static func anywhere(_ count: Int) -> ErrorHandler {
        var builder = TypeBuilder(isAnywhere: true)
        for number in 0..<count { visit(number, &builder) }
        return builder.handler
    }

    /// A handler with an `always` alone.
    package static func always() -> ErrorHandler {
        ErrorHandler().always { _ in .next }
    }

    /// A handler with one asynchronous action.
    package static func asynchronous() -> ErrorHandler {
        ErrorHandler().on(E1.self) { error in
            await nothing()
            consume(error.code)
            return .stop
        }
    }

    /// One rule for what nobody posts.
    package static func stranger() -> ErrorHandler {
        ErrorHandler().on(Unknown.self) {
            consume($0); return .stop
        }
    }

    /// Two rules for what nobody posts.
    package static func strangers() -> ErrorHandler {
        stranger().on(BaseError.self) {
            consume($0); return .stop
        }
    }

    /// A map with rules for that many types.
    package static func map(_ count: Int) -> ErrorMap<Int> {
        var builder = MapBuilder()
        for number in 0..<count { visit(number, &builder) }
        return builder.map
    }

    @inline(never)
    private static func nothing() async {}

    private struct TypeBuilder: ErrorTypeVisitor {
        var handler = ErrorHandler()
        var isAnywhere = false

        mutating func visit<E: Error>(_ type: E.Type, sample: E) {
            handler =
                isAnywhere
                ? handler.on(matching: .anywhere(.type(type))) {
                    consume($0); return .stop
                }
                : handler.on(type) {
                    consume($0); return .stop
                }
        }
    }

    private struct MapBuilder: ErrorTypeVisitor {
        var map = ErrorMap<Int>(default: 0)

        mutating func visit<E: Error>(_ type: E.Type, sample: E) { map = map.on(type, 1) }
    }
}
