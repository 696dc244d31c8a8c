import Foundation
import TestSupport
import Testing

@testable import BoundedDescriptions

@Suite("The bounded printer prints values of an ordinary size as print does", .tags(.behaviour24))
struct BoundedPrinterTests {}

extension BoundedPrinterTests {
    /// The expectation for a nested value and for a whole one: what the standard library prints.
    struct Sample: Sendable, CustomTestStringConvertible {
        let make: @Sendable () -> Any

        init(_ make: @escaping @Sendable () -> Any) { self.make = make }

        var testDescription: String { String(describing: make()) }
    }

    struct Holder { var content: Any }

    struct Pair<First, Second> {
        var first: First
        let second: Second
    }

    struct Empty {}

    enum Shape {
        case dot
        case circle(radius: Double)
        case square(Int)
        case text(String)
        case line(from: (Int, Int), to: (x: Int, y: Int))
        case nothing(Void)
        indirect case inside(Shape)
    }

    enum Level: Int { case low, high }

    struct Spoken: CustomStringConvertible { var description: String { "it \"speaks\"\n" } }

    struct Debugged: CustomDebugStringConvertible { var debugDescription: String { "it is debugged" } }

    struct Twofold: CustomStringConvertible, CustomDebugStringConvertible {
        var description: String { "plain" }
        var debugDescription: String { "debug" }
    }

    struct Streamed: TextOutputStreamable {
        func write<Target: TextOutputStream>(to target: inout Target) {
            target.write("one ")
            target.write("after the other")
        }
    }

    struct Written: TextOutputStreamable, CustomStringConvertible {
        var description: String { "spoken" }
        func write<Target: TextOutputStream>(to target: inout Target) { target.write("written") }
    }

    struct Basket: RandomAccessCollection, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let startIndex = 0, endIndex = 2
        subscript(position: Int) -> Int { position }
        var description: String { "[0, 1]" }
        var debugDescription: String { "Basket([0, 1])" }
        var customMirror: Mirror { Mirror(self, unlabeledChildren: [0, 1], displayStyle: .collection) }
    }

    struct Mirrored: CustomReflectable {
        let style: Mirror.DisplayStyle?
        var customMirror: Mirror { Mirror(self, children: ["a": 1, "b": "two"], displayStyle: style) }
    }

    enum Failure: Error { case failed(code: Int, reason: any Error) }
    struct Localized: LocalizedError { var errorDescription: String? }

    class Plain {}
    final class SpokenObject: CustomStringConvertible { var description: String { "an object" } }
    actor Actor {}

    static let samples: [Sample] = [
        Sample { 1 }, Sample { -2.5 }, Sample { true }, Sample { UInt8.max }, Sample { Double.nan },
        Sample { "a \"b\"\n\\" }, Sample { "abc".dropFirst() }, Sample { Character("x") }, Sample { "" },
        Sample { "e\u{301}" }, Sample { "\u{301}" }, Sample { Unicode.Scalar("a") }, Sample { "s" as StaticString },
        Sample { Empty() }, Sample { Pair(first: 1, second: "two") }, Sample { Pair(first: Empty(), second: [1.5]) },
        Sample { Shape.dot }, Sample { Shape.circle(radius: 1) }, Sample { Shape.square(2) },
        Sample { Shape.text("a") },
        Sample { Shape.line(from: (1, 2), to: (x: 3, y: 4)) }, Sample { Shape.nothing(()) },
        Sample { Shape.inside(.inside(.dot)) }, Sample { Level.high },
        Sample { (1, "a") }, Sample { (x: 1, y: (2, z: 3)) }, Sample { () },
        Sample { Int?.none as Any }, Sample { Int?(1) as Any }, Sample { String??("a") as Any },
        Sample { Shape?.some(.dot) as Any },
        Sample { [Int]() }, Sample { [1, 2, 3] }, Sample { [["a"], []] }, Sample { [Int?.some(1), nil] },
        Sample { [1, 2, 3][1...] }, Sample { ContiguousArray(["a"]) },
        Sample { Set([1]) }, Sample { ["k": "v"] }, Sample { [String: Int]() }, Sample { ["k": [1: Empty()]] },
        Sample { ["a": 1, "b": 2] as KeyValuePairs }, Sample { ["k": 1].keys }, Sample { ["k": 1].values },
        Sample { 1..<5 }, Sample { 1...5 }, Sample { 1... }, Sample { ...2.5 }, Sample { ..<"z" }, Sample { "a"..<"b" },
        Sample { 0.5...1 }, Sample { AnyHashable(1) }, Sample { AnyHashable("a") },
        Sample { Result<Int, any Error>.success(1) }, Sample { CancellationError() },
        Sample { Int.self }, Sample { Shape.self }, Sample { (any Error).self },
        Sample { { (number: Int) in number } },
        Sample { Spoken() }, Sample { Debugged() }, Sample { Twofold() }, Sample { Streamed() },
        Sample { Written() }, Sample { Basket() },
        Sample { Mirrored(style: .struct) }, Sample { Mirrored(style: .tuple) }, Sample { Mirrored(style: .class) },
        Sample { Mirrored(style: nil) },
        Sample { Plain() }, Sample { SpokenObject() }, Sample { Actor() },
        Sample { Failure.failed(code: 1, reason: CancellationError()) }, Sample { Localized(errorDescription: "a\nb") },
        Sample { Date(timeIntervalSince1970: 0) }, Sample { URL(filePath: "/a b") }, Sample { Decimal(1) },
        Sample { UUID() }, Sample { Data([1, 2]) }, Sample { IndexPath(indexes: [1, 2]) },
        Sample { FileAttributeType.typeRegular }, Sample { Notification.Name("n") }, Sample { timespec() },
        Sample { NSString(string: "text") }, Sample { NSNumber(value: 1) },
        Sample { NSError(domain: "d", code: 1) }, Sample { POSIXError(.EIO) }, Sample { URLError(.timedOut) },
        Sample { DecodingError.valueNotFound(Int.self, .init(codingPath: [], debugDescription: "nothing there")) },
    ]

    @Test("it prints what print prints", arguments: samples)
    func whole(sample: Sample) {
        let value = sample.make()
        expect(BoundedPrinter.text(of: value), equals: String(describing: value))
    }

    @Test("it prints what is in a value as print does", arguments: samples)
    func nested(sample: Sample) {
        let value = Holder(content: sample.make())
        expect(BoundedPrinter.text(of: value), equals: String(describing: value))
        let second = Shape?.none
        expect(BoundedPrinter.text(of: (value, second)), equals: String(describing: (value, second)))
    }

    @Test("what is in a set or a dictionary is sorted, so that the text is the same in every run")
    func sorted() {
        expect(BoundedPrinter.text(of: Set("dbca".map(String.init))), equals: #"["a", "b", "c", "d"]"#)
        expect(BoundedPrinter.text(of: ["b": 2, "c": 3, "a": 1]), equals: #"["a": 1, "b": 2, "c": 3]"#)
        expect(
            BoundedPrinter.text(of: [["b": Set([2, 1])], ["z": [], "a": [3]]]),
            equals: #"[["b": Set([1, 2])], ["a": Set([3]), "z": Set([])]]"#)
    }

    @Test("a value that speaks for itself is asked once, and its mirror is not")
    func askedOnce() {
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

    @Test("a mirror of the user's own that calls itself a collection is printed as one")
    func mirroredCollections() {
        expect(BoundedPrinter.text(of: Mirrored(style: .collection)), equals: #"[1, "two"]"#)
        // What has no order of its own is sorted.
        for style in [Mirror.DisplayStyle.set, .dictionary] {
            expect(BoundedPrinter.text(of: Mirrored(style: style)), equals: #"["two", 1]"#)
        }
    }

    @Test("a collection that hides what is in it is asked, and not gone through")
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
