import BoundedDescriptions
import Dispatch
import TestSupport
import Testing

@testable import ErrorRouting

@Suite("Promise 13: drops are counted by type, and each drop is counted in one notice", .tags(.promise13), .hangLimit)
struct DropTallyTests {
    @Test("the first drop creates a notice, which counts by type; subclasses and specializations are separate types")
    func byType() {
        let box = Box()
        let types: [any Error.Type] = [Zoo.Timeout.self, Zoo.Owl.self, Zoo.Timeout.self]
        let names = ["ErrorRoutingTests.Zoo.Timeout", "ErrorRoutingTests.Zoo.Owl"]
        for _ in 0..<3 {
            expect(types.map { box.add($0) }, equals: [true, false, false])
            expect(box.tally.unreported, equals: 3)
            expect(box.take(), equals: ErrorsDropped(count: 3, byType: [names[0]: 2, names[1]: 1]))
            expect(box.tally.unreported, equals: 0)
        }
        let others: [any Error.Type] = [
            Zoo.Animal.self, Zoo.Bird.self, Zoo.Owl.self, Zoo.Box<Int>.self, Zoo.Box<Bool>.self,
        ]
        for type in others { _ = box.add(type) }
        expect(box.take()?.byType.values.sorted(), equals: [1, 1, 1, 1, 1])
    }

    @Test("64 types are counted separately and all others together, even in the next notice")
    func otherTypes() throws {
        let box = Box()
        for _ in 0..<2 {
            for (number, type) in types.enumerated() {
                for _ in 0...(number % 3) { _ = box.add(type) }
            }
            let notice = try #require(box.take())
            let counts = types.indices.map { $0 % 3 + 1 }
            expect(notice.count, equals: counts.reduce(0, +))
            expect(notice.byType.count, equals: 65)
            expect(notice.byType[ErrorsDropped.otherTypes], equals: counts.dropFirst(64).reduce(0, +))
            for (type, count) in zip(types, counts).prefix(64) {
                expect(notice.byType[TypeName.full(type)], equals: count)
            }
        }
    }

    @Test("with many threads that drop and one that takes, each drop is in exactly one notice, and no notice is empty")
    func contention() async {
        let (box, droppers, each) = (Box(), 4, isLong ? 4_000 : 1_000)
        let notices = Journal<ErrorsDropped>()
        let (announced, left) = (DispatchSemaphore(value: 0), Countdown(droppers))
        await onThreads(droppers + 1) { [types] thread in
            if thread < droppers {
                for number in 0..<each where box.add(types[(number &* 7 &+ thread) % types.count]) {
                    announced.signal()
                }
                left.step()
                if left.isOver { announced.signal() }
                return
            }
            while true {
                announced.wait()
                while let notice = box.take() { notices.note(notice) }
                // Check for a notice too: one might have been announced since the last call.
                if left.isOver, !box.hasNotice { break }
            }
        }
        let all = notices.entries
        #expect(all.allSatisfy { $0.count > 0 && $0.byType.values.reduce(0, +) == $0.count })
        expect(box.tally.unreported, equals: 0)
        expect(all.map(\.count).reduce(0, +), equals: droppers * each)
        // Each type was counted in a slot from its first drop on, or always outside the slots.
        let byType = all.map(\.byType).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        let expected = (0..<droppers).reduce(into: [String: Int]()) { expected, thread in
            for number in 0..<each {
                expected[TypeName.full(types[(number &* 7 &+ thread) % types.count]), default: 0] += 1
            }
        }
        expect(byType.count, equals: 65)
        #expect(byType.allSatisfy { $0.key == ErrorsDropped.otherTypes || $0.value == expected[$0.key] })
    }

    /// A family of 81 types.
    private let types: [any Error.Type] = {
        let parts: [any Sendable.Type] = [
            Int.self, Bool.self, String.self, Double.self, UInt.self, Character.self, Int8.self, Int16.self, Void.self,
        ]
        func pair<First: Sendable, Second: Sendable>(_: First.Type, _: Second.Type) -> any Error.Type {
            Pair<First, Second>.self
        }
        return parts.flatMap { first in parts.map { pair(first, $0) } }
    }()

    private struct Pair<First: Sendable, Second: Sendable>: Error {}

    private final class Box: Sendable {
        let tally = DropTally()
        private let notice = Locked(false)

        var hasNotice: Bool { notice.withLock { $0 } }

        /// Counts a drop and announces a notice if there is none, as a bus does under its lock.
        func add(_ type: any Error.Type) -> Bool {
            let isFirst = tally.add(type)
            if isFirst {
                notice.withLock { hasNotice in
                    #expect(!hasNotice, "a notice is announced while another notice is pending")
                    hasNotice = true
                }
            }
            return isFirst
        }

        /// Takes the notice, or returns nil if there is none.
        func take() -> ErrorsDropped? {
            notice.withLock { hasNotice in
                if !hasNotice { return nil }
                var counts: [String: Int64] = [:]
                hasNotice = tally.take(into: &counts)
                return ErrorsDropped(counts)
            }
        }
    }
}
