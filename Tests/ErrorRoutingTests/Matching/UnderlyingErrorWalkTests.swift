import ErrorRoutingTesting
import Foundation
import Synchronization
import TestSupport
import Testing

// The budget and its use are internal: the public API shows only that the walk ends.
@testable import ErrorRouting

@Suite("Promise 9: one budget bounds the walk, and no error is read twice", .tags(.promise9), .hangLimit)
struct UnderlyingErrorWalkTests {}

extension UnderlyingErrorWalkTests {
    private struct Holder<Field: Sendable>: Error { var field: Field }

    private struct Point { var x = 1, y = 2 }

    /// An error with ten million children, created one by one as they are read.
    private struct ManyChildren: Error, CustomReflectable {
        var customMirror: Mirror {
            let children = (0..<10_000_000).lazy.map { (label: nil as String?, value: Point(x: $0) as Any) }
            return Mirror(self, children: AnyCollection(children), displayStyle: .struct)
        }
    }

    /// A value that is its own only child.
    private struct OwnChild: CustomReflectable, Sendable {
        var customMirror: Mirror { Mirror(self, unlabeledChildren: [self, self], displayStyle: .collection) }
    }

    private final class Same: Error {}

    /// Errors of many shapes, created only when needed, because some take a hundred megabytes.
    static let shapes: [(name: String, error: @Sendable () -> any Error)] = [
        ("1,000 x 1,000 numbers", { Holder(field: repeated(1_000, repeated(1_000, 1.0))) }),
        ("200 x 200 x 200 numbers", { Holder(field: repeated(200, repeated(200, repeated(200, 1)))) }),
        ("ten million points", { Holder(field: repeated(10_000_000, Point())) }),
        ("100 x 100 points", { Holder(field: repeated(100, repeated(100, Point()))) }),
        ("a thousand empty arrays", { Holder(field: repeated(1_000, [Same]())) }),
        ("a custom mirror of ten million", { ManyChildren() }),
        ("a mirror of itself", { Holder(field: OwnChild()) }),
        ("five million times the same", { Zoo.Group(underlyingErrors: repeated(5_000_000, Same())) }),
        (
            "five million times the same by its key",
            { NSError(domain: "d", code: 1, userInfo: [manyKey: repeated(5_000_000, Same())]) }
        ),
        (
            "a million NSErrors in an NSArray",
            { NSError(domain: "d", code: 1, userInfo: [manyKey: NSArray(array: repeated(1_000_000, plain))]) }
        ),
    ]

    private static let plain = NSError(domain: "plain", code: 1)
    private static let manyKey = "NSMultipleUnderlyingErrorsKey"

    private static func repeated<Element>(_ count: Int, _ element: Element) -> [Element] {
        [Element](repeating: element, count: count)
    }

    @Test("no more than 1,024 children are read")
    func children() {
        for (name, error) in Self.shapes {
            let walk = UnderlyingErrorWalk(finishing: UnboxedError(error()))
            print("children looked at in \(name): \(walk.visitedChildren)")
            #expect(walk.visitedChildren <= 1_024, "\(name)")
            #expect(walk.links.count <= 64, "\(name)")
        }
    }

    @Test("arrays of numbers and strings use no budget, and an error next to a container that uses it up is found")
    func numbers() {
        struct Measured: Error {
            var samples = [[Double]](repeating: [Double](repeating: 1, count: 2_000), count: 2_000)
            var labels = [String](repeating: "label", count: 100_000)
            var context: Context
            struct Context { var number = 1; var cause: any Error }
        }
        struct Traced: Error {
            var points = [Point](repeating: Point(), count: 100_000)
            var cause: any Error
        }
        let timeout = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
        expect(timeout.match(Measured(context: .init(cause: Zoo.Timeout(seconds: 4))))?.seconds, equals: 4)
        expect(timeout.match(Traced(cause: Zoo.Timeout(seconds: 4)))?.seconds, equals: 4)
    }

    @Test("containers are searched 16 levels deep")
    func depth() {
        struct Nest: Error, CustomReflectable {
            var depth: Int
            var customMirror: Mirror {
                var value: Any = Zoo.Timeout(seconds: 3)
                for _ in 1..<depth { value = [value] }
                return Mirror(self, unlabeledChildren: [value])
            }
        }
        let timeout = ErrorMatcher.anywhere(.type(Zoo.Timeout.self))
        expect(timeout.match(Nest(depth: 16))?.seconds, equals: 3)
        expectNil(timeout.match(Nest(depth: 17)))
    }

    // MARK: Once per dispatch

    /// An error that counts how often it is bridged, and how often its underlying errors are read.
    private struct Counted: CustomNSError {
        static let errorDomain = "counted"
        let bridges = Counter()
        var inner: any Error = Zoo.Offline()
        var errorUserInfo: [String: Any] {
            bridges.increment()
            return [NSUnderlyingErrorKey: inner]
        }
    }

    private struct CountedGroup: UnderlyingErrorsProviding, CustomNSError {
        static let errorDomain = "group"
        let asks = Counter()
        let bridges = Counter()
        let inner: [any Error]
        var underlyingErrors: [any Error] {
            asks.increment()
            return inner
        }
        var errorUserInfo: [String: Any] {
            bridges.increment()
            return [:]
        }
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func increment() { count.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Rules that each need underlying errors and domains, even nested ones, and of which none matches.
    private func walkingRules(_ handler: ErrorHandler = ErrorHandler()) -> ErrorHandler {
        let domain = ErrorMatcher.nsError(domain: "counted", code: 99)
        let other = ErrorMatcher.nsError(domain: "group", code: 99)
        return
            handler
            .on(matching: .anywhere(domain)) { _ in .next }
            .on(matching: .anywhere(.anywhere(domain || other))) { _ in .next }
            .on(matching: .anywhere(.anywhere(.anywhere(.type(Zoo.Timeout.self))) && domain)) { _ in .next }
            .on(matching: domain) { _ in .next }
            .on(matching: .anywhere(other)) { _ in .next }
    }

    @Test("each underlying error is bridged and read once per dispatch, however many rules need it, suspended or not")
    func once() async {
        let inner = Counted()
        let group = CountedGroup(inner: [inner, Counted(inner: inner)])
        let outer = Counted(inner: group)
        let handler = walkingRules()
        // The first error of a type is read once more, for the type's domain.
        for _ in 0..<2 { _ = handler.handleSynchronously(Counted()) }
        expect(handler.handleSynchronously(outer)?.disposition, equals: .unmatched)
        expect([outer.bridges, inner.bridges, group.bridges, group.asks].map(\.value), equals: [1, 2, 1, 1])

        let suspending = walkingRules(
            walkingRules().on(Counted.self) { _ async in
                await Task.yield()
                return .next
            }
        )
        let empty = CountedGroup(inner: [])
        let next = Counted(inner: empty)
        for _ in 0..<2 { await suspending.handle(Counted()) }
        await suspending.handle(next)
        expect([next.bridges, empty.bridges, empty.asks].map(\.value), equals: [1, 1, 1])
        await withErrorBus(handler: suspending) { $0.post(next) }
        expect([next.bridges, empty.bridges, empty.asks].map(\.value), equals: [2, 2, 2])
    }
}
