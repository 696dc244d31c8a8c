import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Numbered slots stand in the order in which they were last added", .tags(.behaviour20))
struct SlotOrderTests {}

extension SlotOrderTests {
    @Test("slots stand in the order in which they were put there")
    func order() {
        var order = SlotOrder()
        expectNil(order.first)
        for slot in [2, 0, 1] { order.append(slot) }
        expect(emptied(order), equals: [2, 0, 1])
    }

    @Test("a slot is taken out at the front, in the middle and at the end, and put back at the end")
    func moving() {
        for slot in 0..<4 {
            var order = SlotOrder()
            for slot in 0..<4 { order.append(slot) }
            order.remove(slot)
            expect(emptied(order), equals: (0..<4).filter { $0 != slot })
            order.append(slot)
            expect(emptied(order), equals: (0..<4).filter { $0 != slot } + [slot])
        }
    }

    @Test("random moves answer what an array would", arguments: 0..<20 as Range<UInt64>)
    func randomMoves(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (order, naive) = (SlotOrder(), [Int]())
        for _ in 0..<300 {
            let slot = Int.random(in: 0..<8, using: &random)
            if let index = naive.firstIndex(of: slot) {
                order.remove(slot)
                naive.remove(at: index)
                if Bool.random(using: &random) { continue }
            }
            order.append(slot)
            naive.append(slot)
            expect(order.first, equals: naive.first)
        }
        expect(emptied(order), equals: naive)
    }

    private func emptied(_ order: SlotOrder) -> [Int] {
        var (order, slots) = (order, [Int]())
        while let slot = order.first {
            order.remove(slot)
            slots.append(slot)
        }
        return slots
    }
}
