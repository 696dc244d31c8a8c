import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BoundedDescriptions

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Promise 24: the bounded printer doesn't inspect objects or print addresses", .tags(.promise24), .hangLimit)
struct BoundedPrinterObjectTests {}

extension BoundedPrinterObjectTests {
    struct Holder: Error, @unchecked Sendable { var content: Any }

    /// It is unchecked because its content is accessed only under its lock, which the test holds while it prints.
    final class Guarded: Error, CustomReflectable, @unchecked Sendable {
        var count = 0
        var customMirror: Mirror { fatalError("an object was looked into") }
    }

    final class Busy: Error, CustomStringConvertible, Sendable {
        let count = Atomic(0)
        var description: String { "Busy, \(count.load(ordering: .relaxed) >= 0 ? "as ever" : "not")" }
    }

    actor Changing: Error {
        var numbers = [0]
        func change() { numbers.append(numbers.count) }
    }

    /// An object with the default description.
    class Addressed: CustomStringConvertible {
        var description: String { unsafe "<Addressed: \(Unmanaged.passUnretained(self).toOpaque())>" }
    }

    final class Listing: Sequence, CustomStringConvertible {
        func makeIterator() -> AnyIterator<Int> { fatalError("an object was gone through") }
        var description: String { fatalError("a collection was asked for its description") }
    }

    private func text(of content: Any) -> String { BoundedPrinter.text(of: Holder(content: content)) }

    @Test("objects and actors without their own descriptions are named but not inspected")
    func named() {
        let module = "BoundedDescriptionsTests.BoundedPrinterObjectTests"
        expect(text(of: Guarded()), equals: "Holder(content: \(module).Guarded)")
        expect(text(of: Changing()), equals: "Holder(content: \(module).Changing)")
        expect(BoundedPrinter.text(of: Guarded()), equals: "\(module).Guarded")
        expect(text(of: Listing()), equals: "Holder(content: \(module).Listing)")
    }

    @Test("an object and an actor are printed while others change them")
    func changing() async {
        let (busy, actor) = (Busy(), Changing())
        await withDiscardingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { for _ in 0..<1_000 { busy.count.add(1, ordering: .relaxed) } }
                group.addTask { for _ in 0..<1_000 { await actor.change() } }
                group.addTask {
                    for _ in 0..<100 {
                        let text = BoundedPrinter.text(of: Holder(content: [busy, actor] as [Any]))
                        #expect(text.hasPrefix("Holder(content: [Busy, as ever, BoundedDescriptionsTests."))
                    }
                }
            }
        }
    }

    @Test("if a description consists only of the object's address, the object's type is named")
    func defaultDescriptions() {
        expect(text(of: Addressed()), equals: "Holder(content: \(TypeName.full(Addressed.self)))")
        expect(text(of: NSObject()), equals: "Holder(content: \(TypeName.full(NSObject.self)))")
        expect(BoundedPrinter.text(of: Thread.current), equals: TypeName.full(type(of: Thread.current)))
    }

    @Test("no address of any kind is printed")
    func addresses() throws {
        @safe struct Pointers {
            let identity = ObjectIdentifier(Int.self)
            // It is unsafe, but the pointer is never dereferenced, as the test shows.
            let pointer = unsafe UnsafeRawPointer(bitPattern: 0x1234_5678)
            let buffer = unsafe UnsafeBufferPointer<Int>(
                start: UnsafePointer(bitPattern: 0x1234_5678), count: 10_000_000)
            let slice = unsafe UnsafeBufferPointer<Int>(
                start: UnsafePointer(bitPattern: 0x1234_5678), count: 10_000_000)[5...]
            let opaque = unsafe OpaquePointer(bitPattern: 0x1234_5678)
            let path: any Any & Sendable = \String.count
        }
        let url = try #require(URL(string: "http://localhost/"))
        let values: [Any] = [
            Pointers(), NSObject(), unsafe Unmanaged.passUnretained(NSObject()) as Any,
            { 1 }, Data([1]), NSData(data: Data([1])),
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil) as Any, Thread.current,
            NSError(domain: "d", code: 1, userInfo: ["object": NSObject(), "array": NSArray(array: [NSObject()])]),
            ObjectIdentifier(Int.self), Int.self, Task { 1 },
        ]
        for value in values {
            let text = text(of: value)
            #expect(!text.contains("0x"), "\(text)")
            #expect(!text.contains("12345678"), "\(text)")
        }
    }

    // MARK: Foundation's errors

    @Test("an NSError inside another value is printed with domain, code, and description, but without user info")
    func nsErrors() {
        let info: [String: Any] = [NSLocalizedDescriptionKey: "no paper", "tray": NSObject()]
        let error = NSError(domain: "d", code: 1, userInfo: info)
        expect(text(of: error), equals: #"Holder(content: Error Domain=d Code=1 "no paper")"#)
        #expect(text(of: URLError(.timedOut)).hasPrefix("Holder(content: Error Domain=NSURLErrorDomain Code=-1001 "))
        let cocoa = text(of: CocoaError(.fileNoSuchFile))
        #expect(cocoa.hasPrefix("Holder(content: Error Domain=NSCocoaErrorDomain Code=4"))
        #expect(text(of: NSError(domain: NSPOSIXErrorDomain, code: .max)).hasPrefix("Holder(content: Error Domain="))
    }

    @Test("decoding errors are printed as Swift prints them, and encoding errors with their mirrors")
    func codingErrors() throws {
        struct Order: Codable { var amount: Int? }
        for text in [#"{"amount": "x"}"#, #"{"amount": {}}"#, #"[]"#] {
            let error = try #require(throws: DecodingError.self) {
                try JSONDecoder().decode(Order.self, from: Data(text.utf8))
            }
            expect(BoundedPrinter.text(of: error), equals: String(describing: error))
        }
        let mismatch = DecodingError.typeMismatch([Order].self, .init(codingPath: [], debugDescription: "why"))
        #expect(!BoundedPrinter.text(of: mismatch).contains("unknown context"))
        let invalid = EncodingError.invalidValue(Order(), .init(codingPath: [], debugDescription: "why"))
        let text = BoundedPrinter.text(of: invalid)
        #expect(
            text.hasPrefix("invalidValue(") && text.contains("Order(amount: nil)") && text.contains("why"), "\(text)")
        #expect(!text.contains("unknown context"), "\(text)")
    }
}
