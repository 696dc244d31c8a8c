import Foundation
import TestSupport
import Testing

@testable import BoundedDescriptions

@Suite(
    "Promise 24: a value is printed with its own description or, if it has none, with its mirror", .tags(.promise24),
    .hangLimit)
struct BoundedPrinterTests {}

extension BoundedPrinterTests {
    struct Holder { var content: Any }

    struct Pair<First, Second> {
        var first: First
        let second: Second
    }

    struct Empty {}

    enum Shape {
        case dot
        case circle(radius: Double)
        case text(String)
        case line(from: (Int, Int), to: (x: Int, y: Int))
        case nothing(Void)
        indirect case inside(Shape)
    }

    struct Spoken: CustomStringConvertible { var description: String { "it \"speaks\"\n" } }

    struct Debugged: CustomDebugStringConvertible { var debugDescription: String { "it is debugged" } }

    struct Twofold: CustomStringConvertible, CustomDebugStringConvertible {
        var description: String { "plain" }
        var debugDescription: String { "debug" }
    }

    struct Mirrored: CustomReflectable {
        let style: Mirror.DisplayStyle?
        var customMirror: Mirror { Mirror(self, children: ["a": 1, "b": "two"], displayStyle: style) }
    }

    enum Failure: Error { case failed(code: Int, reason: any Error) }

    private static let here = "BoundedDescriptionsTests.BoundedPrinterTests"

    @Test("descriptions, optionals, tuples, and collections are printed alike, alone or inside other values")
    func samples() {
        let samples: [(Any, String)] = [
            (1, "1"), (-2.5, "-2.5"), (true, "true"), (Character("x"), "x"),
            (AnyHashable(1), "1"), (UUID?.none as Any, "nil"),
            (Int?(1) as Any, "Optional(1)"), (String??("a") as Any, #"Optional(Optional("a"))"#),
            (Int??.some(nil) as Any, "Optional(nil)"),
            ((1, "a"), #"(1, "a")"#), ((x: 1, y: (2, z: 3)), "(x: 1, y: (2, z: 3))"), ((), "()"),
            ([Int](), "[]"), ([["a"], []], #"[["a"], []]"#), ([Int?.some(1), nil], "[Optional(1), nil]"),
            ([1, 2, 3][1...], "[2, 3]"), (Set([1]), "[1]"), (["k": ["l": 1]], #"["k": ["l": 1]]"#),
            (["k": 1].keys, #"["k"]"#), (["k": 1].values, "[1]"),
            (Spoken(), "it \"speaks\"\n"), (Debugged(), "it is debugged"), (Twofold(), "plain"),
            (Int.self, "Swift.Int"), ({ (number: Int) in number }, "(Swift.Int) -> Swift.Int"),
            (Mirrored(style: .tuple), #"(a: 1, b: "two")"#), (Mirrored(style: .class), "\(Self.here).Mirrored"),
            (Mirrored(style: .collection), #"[a: 1, b: "two"]"#),
            (URL(filePath: "/a b"), "file:///a%20b"), (Data([1, 2]), "2 bytes"), (NSString(string: "text"), "text"),
            (IndexPath(indexes: [1, 2]), "[1, 2]"), (Date(timeIntervalSince1970: 0), "1970-01-01 00:00:00 +0000"),
        ]
        for (value, text) in samples {
            expect(BoundedPrinter.text(of: value), equals: text)
            expect(BoundedPrinter.text(of: Holder(content: value)), equals: "Holder(content: \(text))")
        }
    }

    @Test("inside other values, structs and cases are printed with their modules' names, and strings are quoted")
    func nested() {
        let samples: [(Any, String, String)] = [
            ("a \"b\"\n", "a \"b\"\n", #""a \"b\"\n""#), ("abc".dropFirst(), "bc", #""bc""#),
            (Empty(), "Empty()", "\(Self.here).Empty()"),
            (1..<5, "Range<Int>(lowerBound: 1, upperBound: 5)", "Swift.Range<Swift.Int>(lowerBound: 1, upperBound: 5)"),
            (Mirrored(style: nil), #"Mirrored(a: 1, b: "two")"#, #"\#(Self.here).Mirrored(a: 1, b: "two")"#),
            (
                Pair(first: 1, second: ["two"]), #"Pair<Int, Array<String>>(first: 1, second: ["two"])"#,
                #"\#(Self.here).Pair<Swift.Int, Swift.Array<Swift.String>>(first: 1, second: ["two"])"#
            ),
            (Shape.dot, "dot", "\(Self.here).Shape.dot"),
            (Shape.circle(radius: 1), "circle(radius: 1.0)", "\(Self.here).Shape.circle(radius: 1.0)"),
            (Shape.text("a"), #"text("a")"#, #"\#(Self.here).Shape.text("a")"#),
            (
                Shape.line(from: (1, 2), to: (x: 3, y: 4)), "line(from: (1, 2), to: (x: 3, y: 4))",
                "\(Self.here).Shape.line(from: (1, 2), to: (x: 3, y: 4))"
            ),
            (Shape.nothing(()), "nothing()", "\(Self.here).Shape.nothing()"),
            (
                Shape.inside(.dot), "inside(\(Self.here).Shape.dot)",
                "\(Self.here).Shape.inside(\(Self.here).Shape.dot)"
            ),
            (
                Failure.failed(code: 1, reason: CancellationError()),
                "failed(code: 1, reason: Swift.CancellationError())",
                "\(Self.here).Failure.failed(code: 1, reason: Swift.CancellationError())"
            ),
        ]
        for (value, whole, part) in samples {
            expect(BoundedPrinter.text(of: value), equals: whole)
            expect(BoundedPrinter.text(of: [value]), equals: "[\(part)]")
        }
    }

    @Test("the elements of sets and dictionaries are sorted, so that the string is the same in every run")
    func sorted() {
        expect(BoundedPrinter.text(of: Set("dbca".map(String.init))), equals: #"["a", "b", "c", "d"]"#)
        expect(BoundedPrinter.text(of: ["b": 2, "c": 3, "a": 1]), equals: #"["a": 1, "b": 2, "c": 3]"#)
        expect(
            BoundedPrinter.text(of: [["b": Set([2, 1])], ["z": [], "a": [3]]]),
            equals: #"[["b": [1, 2]], ["a": [3], "z": []]]"#)
    }

    @Test("a value's own description is read once, and its mirror isn't read")
    func readOnce() {
        struct Witness: CustomStringConvertible, CustomReflectable {
            let count = Count()
            var description: String {
                count.value += 1
                return "it"
            }
            var customMirror: Mirror { fatalError("the mirror was asked") }
        }
        final class Count { var value = 0 }
        enum Kept { case it(Witness) }
        let witness = Witness()
        expect(BoundedPrinter.text(of: witness), equals: "it")
        expect(BoundedPrinter.text(of: Holder(content: witness)), equals: "Holder(content: it)")
        expect(BoundedPrinter.text(of: Kept.it(witness)), equals: "it(it)")
        expect(BoundedPrinter.text(of: [1: witness]), equals: "[1: it]")
        expect(BoundedPrinter.text(of: Witness?.some(witness) as Any), equals: "Optional(it)")
        expect(witness.count.value, equals: 5)
    }

    @Test("a custom collection with its own description isn't iterated")
    func hidingCollections() {
        struct Secrets: Collection, CustomStringConvertible {
            let startIndex = 0
            let endIndex = 2
            subscript(position: Int) -> String { "secret" }
            func index(after index: Int) -> Int { index + 1 }
            var description: String { "\(count) secrets" }
        }
        expect(BoundedPrinter.text(of: Secrets()), equals: "2 secrets")
        expect(BoundedPrinter.text(of: Holder(content: [Secrets()])), equals: "Holder(content: [2 secrets])")
    }
}
