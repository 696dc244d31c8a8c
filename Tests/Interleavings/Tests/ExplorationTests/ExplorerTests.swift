import Exploration
import Testing

/// Only one explorer can explore at a time, so the tests are serialized.
@Suite("The explorer finds what the memory model allows, and nothing else", .serialized)
struct ExplorerTests {}

extension ExplorerTests {
    @Test("a message is lost only if its flag is stored or read relaxed")
    func messagePassing() {
        for (releases, acquires) in [(true, true), (true, false), (false, true), (false, false)] {
            let found = outcomes(.none(staleReads: 1)) { cells, note in
                [
                    {
                        cells[0].store(1, releases: false)
                        cells[1].store(1, releases: releases)
                    },
                    { if cells[1].load(acquires: acquires) == 1 { note(cells[0].load(acquires: false)) } },
                ]
            }
            #expect(found == (releases && acquires ? [[], [1]] : [[], [0], [1]]))
        }
    }

    @Test("two threads can each miss the value that the other thread has stored")
    func storeBuffering() {
        let found = outcomes(.none(staleReads: 2)) { cells, note in
            (0..<2).map { index in
                {
                    cells[index].store(1, releases: true)
                    note(cells[1 - index].load(acquires: true) * (index == 0 ? 10 : 1))
                }
            }
        }
        #expect(Set(found.map { $0.reduce(0, +) }) == [0, 1, 10, 11])
    }

    @Test("of schedules that differ only in independent steps, one is explored: three stores have six orders")
    func reduction() {
        for (isShared, count) in [(true, 6), (false, 1)] {
            let cells = Cells()
            let scenario = Scenario("stores", .none(), isReleased: { true }) {
                cells.reset()
                return Execution((0..<3).map { index in { cells[isShared ? 0 : index].store(1, releases: true) } }) {}
            }
            let report = Explorer(.none()).explore(scenario)
            #expect(report.isComplete)
            #expect(report.schedules - report.redundant - report.restarts == count)
        }
    }

    @Test("with and without the reduction, random programs have the same outcomes", arguments: 0..<40 as Range<UInt64>)
    func sameOutcomes(seed: UInt64) {
        var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func pick(_ count: UInt64) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % count)
        }
        let program = (0..<3).map { _ in
            (0..<2 + pick(2)).map { _ in (kind: pick(3), cell: pick(2), orders: pick(2) == 0) }
        }
        let found = [Bound.none(staleReads: 1), .preemptions(100, staleReads: 1)].map { bound in
            outcomes(bound) { cells, note in
                program.indices.map { thread in
                    {
                        for (step, (kind, cell, orders)) in program[thread].enumerated() {
                            let value = UInt64(10 * thread + step + 1)
                            switch kind {
                            case 0: note(value * 100 + cells[cell].load(acquires: orders))
                            case 1: cells[cell].store(value, releases: orders)
                            default: note(value * 100 + cells[cell].exchange(value, both: orders))
                            }
                        }
                    }
                }
            }
        }
        #expect(found[0] == found[1], "\(program)")
    }

    /// Explores all schedules.
    ///
    /// Returns the sorted notes of each schedule, with the atomics' final values.
    private func outcomes(
        _ bound: Bound, _ threads: @escaping @Sendable (Cells, @escaping (UInt64) -> Void) -> [() -> Void]
    ) -> Set<[UInt64]> {
        let (cells, outcomes) = (Cells(), Outcomes())
        let scenario = Scenario("test", bound, isReleased: { true }) {
            cells.reset()
            var noted: [UInt64] = []
            return Execution(threads(cells) { noted.append($0) }) { outcomes.all.insert(noted.sorted()) }
        }
        #expect(Explorer(bound).explore(scenario).isComplete)
        return outcomes.all
    }

    private final class Outcomes: @unchecked Sendable { var all: Set<[UInt64]> = [] }
}

/// Three atomics, as a shim would create them.
@safe private final class Cells: @unchecked Sendable {
    private let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: 3)

    init() { unsafe memory.initialize(repeating: 0, count: 3) }
    deinit { unsafe memory.deallocate() }

    func reset() { for index in 0..<3 { unsafe memory[index] = 0 } }

    subscript(index: Int) -> Cell { unsafe Cell(memory: memory + index) }

    @safe struct Cell {
        let memory: UnsafeMutablePointer<UInt64>

        private var address: UInt { unsafe UInt(bitPattern: memory) }
        private var site: Site { Site(#fileID, #line) }

        func load(acquires: Bool) -> UInt64 {
            unsafe Explorer.active?.load(address, memory.pointee, acquires: acquires, at: site) ?? memory.pointee
        }

        func store(_ value: UInt64, releases: Bool) {
            unsafe Explorer.active?.store(address, memory.pointee, value, releases: releases, at: site)
            unsafe memory.pointee = value
        }

        func exchange(_ value: UInt64, both: Bool) -> UInt64 {
            let former = unsafe memory.pointee
            let found = Explorer.active?.change(
                address, former, acquires: both, releases: both, acquiresOnFailure: both, at: site, { _ in value })
            unsafe memory.pointee = value
            return found?.found ?? former
        }
    }
}
