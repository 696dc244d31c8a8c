import TestSupport
import Testing

@testable import BoundedDescriptions

@Suite("Promise 24: a type's name has no address", .tags(.promise24), .hangLimit)
struct TypeNameTests {}

extension TypeNameTests {
    private struct Hidden {
        enum Inner {}
        struct Generic<Content> {}
    }

    private final class HiddenObject {}

    struct Open<Content> {}

    /// A type that is declared in a function.
    private static var local: Any.Type {
        struct Local {}
        return Local.self
    }

    @Test("the part that contains the address is left out, and the rest stays")
    func names() {
        let here = "BoundedDescriptionsTests.TypeNameTests"
        expect(TypeName.full(Hidden.self), equals: "\(here).Hidden")
        expect(TypeName.full(Hidden.Inner.self), equals: "\(here).Hidden.Inner")
        expect(TypeName.full(Hidden.Generic<Hidden>.self), equals: "\(here).Hidden.Generic<\(here).Hidden>")
        expect(TypeName.full([Hidden].self), equals: "Swift.Array<\(here).Hidden>")
        let function = TypeName.full(((Hidden) -> HiddenObject).self)
        expect(function, equals: "(\(here).Hidden) -> \(here).HiddenObject")
        expect(TypeName.full(Self.local), equals: "\(here).Local")
        expect(TypeName.short(Hidden.self), equals: "Hidden")
        expect(TypeName.short(Open<Hidden>.self), equals: "Open<Hidden>")
        expect(TypeName.full(Open<Int>.self), equals: "\(here).Open<Swift.Int>")
        expect(TypeName.full((() -> Void).self), equals: "() -> ()")
    }

    @Test("any other name is the name that the standard library prints")
    func sameAsPrinted() {
        let types: [Any.Type] = [
            Int.self, Hidden.self, Self.local, Open<any Error>.self, (any Error).self, (any Error)?.self, Int.Type.self,
            (any Error.Type).self, ((Int, label: String)).self, (@Sendable (inout Int) async throws -> Void).self,
            HiddenObject.self, AnyObject.self, Any.self, Never.self,
        ]
        for type in types {
            expect(TypeName.full(type), equals: TypeName.withoutAddresses(String(reflecting: type)))
            expect(TypeName.short(type), equals: TypeName.withoutAddresses(String(describing: type)))
        }
        // Only parts that have exactly the form that Swift prints are left out.
        let hostile = "(unknown context at $0f and what must not be hidden).A"
        for text in ["(unknown context)", "(unknown context at $", "a(b).c", "", hostile] {
            expect(TypeName.withoutAddresses(text), equals: text)
        }
        expect(TypeName.withoutAddresses("A.(unknown context at $0f).(unknown context at $1A).B"), equals: "A.B")
    }
}
