import TestSupport
import Testing

@testable import ErrorRouting

@Suite("A ring buffer does what an array does", .hangLimit)
struct FIFOTests {
    /// The size of a queue's ring, and whether its elements continue at the ring's start.
    private func ring<Element>(of queue: FIFO<Element>) throws -> (size: Int, isWrapped: Bool) {
        var fields: [String: Any] = [:]
        for (label, value) in Mirror(reflecting: queue).children { if let label { fields[label] = value } }
        let size = try #require(fields["slots"] as? [Element?]).count
        return (size, try #require(fields["head"] as? Int) + queue.count > size)
    }

    @Test("random appends and pops return what an array returns, while the ring grows, wraps around, and is freed")
    func likeAnArray() throws {
        var (growths, wraps, releases) = (0, 0, 0)
        for seed in 0..<(isLong ? 2_000 : 100) as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var (queue, array, last) = (FIFO<Int>(), [Int](), 0)
            // Every fourth queue grows so large that it is freed once it is empty.
            let longest = seed.isMultiple(of: 4) ? 1_500 : 12
            for _ in 0..<60 {
                let before = try ring(of: queue).size
                let (length, isAppending) = (Int.random(in: 1...longest, using: &random), Bool.random(using: &random))
                for _ in 0..<length {
                    if isAppending {
                        last += 1
                        queue.append(last)
                        array.append(last)
                    } else {
                        expect(queue.popFirst(), equals: array.isEmpty ? nil : array.removeFirst())
                    }
                    expect(queue.first, equals: array.first)
                    expect(queue.count, equals: array.count)
                    expect(queue.isEmpty, equals: array.isEmpty)
                }
                expect(Array(queue.elements), equals: array, "seed \(seed)")
                let (size, isWrapped) = try ring(of: queue)
                #expect(size >= queue.count && (size == 0 || size.nonzeroBitCount == 1), "seed \(seed): \(size)")
                if size > before { growths += 1 }
                if isWrapped { wraps += 1 }
                if size < before { releases += 1 }
            }
        }
        #expect(growths > 100 && wraps > 100 && releases > 10, "\(growths), \(wraps), \(releases)")
    }

    @Test("an empty queue frees a ring of more than 1,024 slots, and keeps a smaller one", arguments: [1_024, 1_025])
    func large(count: Int) throws {
        var queue = FIFO<Int>()
        for number in 0..<count { queue.append(number) }
        for number in 0..<count {
            expect(try ring(of: queue).size, equals: count == 1_024 ? 1_024 : 2_048)
            expect(queue.popFirst(), equals: number)
        }
        expect(try ring(of: queue).size, equals: count == 1_024 ? 1_024 : 0)
        expectNil(queue.popFirst())
        queue.append(7)
        expect(queue.popFirst(), equals: 7)
    }

    @Test("a removed element is no longer retained, and a copy doesn't change with its original")
    func elements() {
        final class Element: Sendable {}
        var queue = FIFO<Element>()
        for _ in 0..<3 { queue.append(Element()) }
        let first = Weak(queue.first)
        var copy = queue
        _ = queue.popFirst()
        #expect(first.object != nil && copy.first === first.object)
        expect([queue.count, copy.count], equals: [2, 3])
        _ = copy.popFirst()
        expectNil(first.object)
    }
}
