import Testing

@testable import ErrorRouting

/// Posts in all their steps, deliveries and ends of all kinds in random order, against a naive bus.
@Suite("A random walk through intake and machine keeps the law (behaviours 11, 13, 14, 16, 18 and 20)")
struct BusRandomWalkTests {
    @Test("without a flood limit", arguments: 0..<200 as Range<UInt64>)
    func plain(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: false).run() }

    @Test("with a flood limit", arguments: 1_000..<1_200 as Range<UInt64>)
    func flooded(seed: UInt64) { BusWalk(seed: seed, hasFloodLimit: true).run() }

    @Test("where capacity is about as much as one segment or two", arguments: [63, 64, 65, 127, 128, 129])
    func aboutSegments(capacity: Int) {
        for seed in 0..<6 as Range<UInt64> {
            BusWalk(seed: seed, hasFloodLimit: seed % 3 == 2, capacity: capacity).run(steps: 3_000)
        }
    }
}
