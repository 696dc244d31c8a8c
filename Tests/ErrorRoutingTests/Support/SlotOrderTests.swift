import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Numbered slots stand in the order in which they were last added", .tags(.behaviour20))
struct SlotOrderTests {}

extension SlotOrderTests {
    @Test("slots are taken out anywhere and put back at the end, as in an array")
    func randomMoves() {
        var random = SplitMix64(seed: 1)
        var (order, naive) = (SlotOrder(), [Int]())
        expectNil(order.first)
        for _ in 0..<3_000 {
            let slot = Int.random(in: 0..<8, using: &random)
            if let index = naive.firstIndex(of: slot) {
                order.remove(slot)
                naive.remove(at: index)
                if Bool.random(using: &random) { continue }
            }
            order.append(slot)
            naive.append(slot)
            expect(order.first, equals: naive.first)
            expect(emptied(order), equals: naive)
        }
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
