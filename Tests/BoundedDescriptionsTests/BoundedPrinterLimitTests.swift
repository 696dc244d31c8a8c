import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BoundedDescriptions

/// The tests count children and bytes instead of measuring time.
@Suite("Promise 24: the bounded printer stops at its limits", .tags(.promise24), .hangLimit)
struct BoundedPrinterLimitTests {}

extension BoundedPrinterLimitTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable () -> Any

        init(_ name: String, _ make: @escaping @Sendable () -> Any) {
            testDescription = name
            self.make = make
        }
    }

    struct Measured: Error { var numbers: [Int] }

    struct Said: Error { var text: String }

    /// A value that creates its children when they are read, and counts them.
    struct Lazy: CustomReflectable, Error {
        let made = Counter()
        var style: Mirror.DisplayStyle? = .struct
        var isLabeled = true

        var customMirror: Mirror {
            let (made, label) = (made, isLabeled ? "field" : nil)
            let children = (0..<10_000_000).lazy.map { number -> Mirror.Child in
                made.value.add(1, ordering: .relaxed)
                return (label: label, value: number)
            }
            return Mirror(self, children: children, displayStyle: style)
        }
    }

    final class Counter: Sendable { let value = Atomic(0) }

    struct Selfish: CustomReflectable, Error, Hashable, Comparable {
        static func < (one: Selfish, other: Selfish) -> Bool { false }
        var customMirror: Mirror { Mirror(self, children: ["me": self, "again": self], displayStyle: .struct) }
    }

    struct Chatty: CustomStringConvertible, Hashable {
        var description: String { String(repeating: "word ", count: 200_000) }
    }

    indirect enum Chain {
        case end
        case link(Chain)
    }

    static func optionals(_ depth: Int) -> Any {
        var value: Any = 1
        for _ in 0..<depth { value = Optional.some(value) as Any }
        return value
    }

    static let shapes = [
        Shape("1,000 arrays of 1,000 numbers") {
            Array(repeating: Array(repeating: 1.5, count: 1_000), count: 1_000)
        },
        Shape("200 arrays of 200 arrays of 200 numbers") {
            Array(repeating: Array(repeating: Array(repeating: 1, count: 200), count: 200), count: 200)
        },
        Shape("an error with an array of ten million") { Measured(numbers: Array(repeating: 7, count: 10_000_000)) },
        Shape("a mirror with ten million children, made when looked at") { Lazy() },
        Shape("the same without names") { Lazy(isLabeled: false) },
        Shape("the same as a tuple") { Lazy(style: .tuple) },
        Shape("the same as a collection") { Lazy(style: .collection) },
        Shape("the same as an enum") { Lazy(style: .enum) },
        Shape("the same of no style") { Lazy(style: nil) },
        Shape("a mirror that has itself in it, twice") { Selfish() },
        Shape("the same under a decoding error") {
            DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "text", underlyingError: Selfish()))
        },
        Shape("the same in an encoding error, a hashable, a range and a set") {
            let context = EncodingError.Context(codingPath: [], debugDescription: "text", underlyingError: Selfish())
            let error = EncodingError.invalidValue(Selfish(), context)
            return [error, AnyHashable(Selfish()), Selfish()...Selfish(), Set([Selfish()])] as [Any]
        },
        Shape("a hundred optionals in one another") { optionals(100) },
        Shape("a long chain of cases") { (0..<1_000).reduce(Chain.end) { chain, _ in .link(chain) } },
        Shape("an error with 10 MB of text") { Said(text: String(repeating: "text\n", count: 2_000_000)) },
        Shape("10 MB of text in a substring") {
            ["x": String(repeating: "text\n", count: 2_000_000).dropFirst(3)]
        },
        Shape("a character of a million marks") { Said(text: "e" + String(repeating: "\u{301}", count: 1_000_000)) },
        Shape("a dictionary of dictionaries") {
            let inner = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, "\($0)") })
            return Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, inner) })
        },
        Shape("a set of a hundred thousand") { Set(0..<100_000) },
        Shape("a range of texts") { String(repeating: "a", count: 1_000_000)..<"b" },
        Shape("a hashable array of a million") { AnyHashable(Array(0..<1_000_000)) },
        Shape("what describes itself at length") { [Chatty(), Chatty()] },
        Shape("Foundation's collections") {
            [
                NSArray(array: Array(0..<100_000)), NSSet(array: [1]), NSDictionary(dictionary: ["k": 1]),
                NSData(data: Data(count: 1_000_000)), NSOrderedSet(array: [1]),
            ]
        },
        Shape("an index set") { IndexSet(integersIn: 0..<1_000_000) },
        Shape("data") { [Data(count: 1_000_000), Data(count: 2).dropFirst()] },
        Shape("an NSError with a huge user info") {
            let info = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("key \($0)", Chatty() as Any) })
            return NSError(domain: String(repeating: "domain", count: 10), code: 1, userInfo: info)
        },
        Shape("a coding error of a huge value, with a huge error under it") {
            let said = Said(text: String(repeating: "text", count: 1_000_000))
            let path = (0..<100_000).map { _ in Key(stringValue: "key") }
            let context = EncodingError.Context(codingPath: path, debugDescription: "text", underlyingError: said)
            return EncodingError.invalidValue(Array(repeating: [1], count: 1_000_000), context)
        },
        Shape("a decoding error with a huge key") {
            let key = Key(stringValue: String(repeating: "key", count: 1_000_000))
            let text = String(repeating: "text", count: 1_000_000)
            return DecodingError.keyNotFound(key, .init(codingPath: [key, key], debugDescription: text))
        },
    ]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test("no shape takes more than 1,024 children and 16 KiB", arguments: shapes)
    func limits(shape: Shape) {
        let printer = BoundedPrinter(printing: shape.make())
        #expect(printer.childCount <= 1_024)
        #expect(printer.text.utf8.count <= 16 * 1_024)
        #expect(!printer.text.contains("\u{FFFD}"))
    }

    @Test("children that are created when they are read are created only as often as they are counted")
    func lazyChildren() {
        for style in [Mirror.DisplayStyle.struct, .tuple, .collection] {
            for isLabeled in [true, false] {
                let value = Lazy(style: style, isLabeled: isLabeled)
                let printer = BoundedPrinter(printing: value)
                expect(printer.childCount, equals: 1_024)
                expect(value.made.value.load(ordering: .relaxed), equals: 1_024)
            }
        }
    }

    @Test("a mark replaces each omitted part at its position")
    func marks() {
        let many = BoundedPrinter.text(of: Measured(numbers: Array(0..<2_000)))
        #expect(many.hasPrefix("Measured(numbers: [0, 1, 2, "))
        // The array is one of the children, and its elements are the rest.
        #expect(many.hasSuffix(", 1021, 1022, …])"))
        #expect(!BoundedPrinter.text(of: Measured(numbers: Array(0..<1_023))).contains("…"))
        expect(BoundedPrinter.text(of: ["a": 1, "b": 2].merging(["c": 3]) { $1 }).contains("…"), equals: false)
        let deep = BoundedPrinter.text(of: Self.optionals(100))
        expect(deep, equals: String(repeating: "Optional(", count: 17) + "…" + String(repeating: ")", count: 17))
        #expect(!BoundedPrinter.text(of: Self.optionals(16)).contains("…"))
        let long = BoundedPrinter.text(of: Said(text: String(repeating: "é", count: 20_000)))
        #expect(long.hasPrefix(#"Said(text: "éé"#) && long.hasSuffix("é…"))
        #expect((16 * 1_024 - 1...16 * 1_024).contains(long.utf8.count))
    }

    @Test("a string of exactly the limit isn't truncated")
    func exactLimit() {
        let text = String(repeating: "a", count: 16 * 1_024)
        expect(BoundedPrinter.text(of: text), equals: text)
        expect(BoundedPrinter.text(of: text + "b"), equals: text.dropLast(3) + "…")
    }
}
