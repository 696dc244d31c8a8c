import TestSupport
import Testing

@testable import ErrorRouting

@Suite("An array of fixed capacity destroys exactly its elements, and never moves them", .hangLimit)
struct FixedArrayTests {
    /// An element that can't be copied and notes its end.
    private struct Noted: ~Copyable {
        let number: Int
        let ends: Journal<Int>

        init(_ number: Int, _ ends: Journal<Int>) { (self.number, self.ends) = (number, ends) }

        deinit { ends.note(number) }
    }

    @Test("each element is destroyed once, with the array, however full it is", arguments: 0...4)
    func destroys(count: Int) {
        let ends = Journal<Int>()
        do {
            var array = FixedArray<Noted>(capacity: 4)
            for number in 0..<count { array.append(Noted(number, ends)) }
            for position in 0..<count { expect(array[position].number, equals: position) }
            expect(ends.entries, equals: [])
            expect(array.count, equals: count)
        }
        expect(ends.entries.sorted(), equals: Array(0..<count))
    }

    @Test("an element stays where it is while elements are added and changed")
    func addresses() {
        var array = FixedArray<Int>(capacity: 1_000)
        let start = unsafe array.address(0)
        for number in 0..<1_000 {
            unsafe expect(array.address(number), equals: start + number)
            array.append(number)
            array[number] += 1
        }
        for number in 0..<1_000 { unsafe expect(start[number], equals: number + 1) }
        expect(array.count, equals: 1_000)
    }

    @Test("one element too many stops the process instead of writing beyond the array's memory")
    func full() async {
        await #expect(processExitsWith: .failure) {
            endIfItHangs()
            var array = FixedArray<Int>(capacity: 1)
            for number in 0..<2 { array.append(number) }
        }
    }
}
