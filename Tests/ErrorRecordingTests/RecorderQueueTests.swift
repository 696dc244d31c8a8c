import TestSupport
import Testing

@testable import ErrorRecording

@Suite("E1: the queue is a plain value, and its counts balance after each step", .tags(.recording1), .hangLimit)
struct RecorderQueueTests {}

extension RecorderQueueTests {
    /// A queue that returns its steps as strings.
    private struct Queue {
        var queue: RecorderQueue<Int>
        var statistics: ErrorRecorder.Statistics { queue.statistics }

        init(capacity: Int) { queue = RecorderQueue(capacity: capacity) }

        /// Returns the writer's next step: `write 1 2`, `sleep`, or `end`.
        mutating func next() -> String {
            var entries: [RecorderQueue<Int>.Entry] = []
            return switch queue.next(&entries) {
            case .write: "write \(entries.map { "\($0.element)" }.joined(separator: " "))"
            case .sleep: "sleep"
            case .end: "end"
            }
        }
    }

    @Test func `the writer is woken once, by the first element that arrives while it sleeps`() {
        var queue = Queue(capacity: 9)
        var steps = [queue.next()]
        let wakes = (1...3).map { queue.queue.record($0) }
        expect(wakes, equals: [true, false, false])
        steps.append(queue.next())
        let wakesAtWork = queue.queue.record(4)
        #expect(!wakesAtWork, "the writer is at work, and asks again")
        queue.queue.finished(written: 2, failed: 1)
        steps.append(queue.next())
        expect(steps, equals: ["sleep", "write 1 2 3", "write 4"])
    }

    @Test func `elements use capacity until they are written; the newest is dropped, and its number is missing`() {
        var queue = RecorderQueue<Int>(capacity: 2)
        func take() -> [RecorderQueue<Int>.Entry] {
            var entries: [RecorderQueue<Int>.Entry] = []
            _ = queue.next(&entries)
            return entries
        }
        for number in 1...2 { _ = queue.record(number) }
        _ = take()
        _ = queue.record(3)
        expect(queue.statistics, equals: .init(recorded: 3, dropped: 1, pending: 2))
        queue.finished(written: 1, failed: 0)
        _ = queue.record(4)
        expect(queue.statistics, equals: .init(recorded: 4, written: 1, dropped: 1, pending: 2))
        queue.finished(written: 1, failed: 0)
        let entries = take()
        expect(entries.map(\.number), equals: [4])
        expect(entries.map(\.element), equals: [4])
    }

    @Test func `a closed queue drops elements, returns its last ones, and ends; closing wakes a sleeping writer once`()
    {
        var queue = Queue(capacity: 9)
        _ = queue.queue.record(1)
        let wakesAtWork = queue.queue.close()
        _ = queue.queue.record(2)
        var steps = [queue.next()]
        #expect(!wakesAtWork)
        #expect(!queue.queue.hasEnded)
        queue.queue.finished(written: 1, failed: 0)
        steps.append(queue.next())
        expect(steps, equals: ["write 1", "end"])
        #expect(queue.queue.hasEnded)
        expect(queue.statistics, equals: .init(recorded: 2, written: 1, dropped: 1))

        var sleeping = Queue(capacity: 9)
        expect(sleeping.next(), equals: "sleep")
        expect([sleeping.queue.close(), sleeping.queue.close()], equals: [true, false])
        expect(sleeping.next(), equals: "end")
    }

    @Test(arguments: 1...20)
    func `the counts balance after each step of a random walk, and no element is lost or duplicated`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var queue = RecorderQueue<Int>(capacity: Int.random(in: 0...5, using: &generator))
        var (taken, seen, next, sleeps) = ([Int](), [Int](), 0, false)
        for _ in 0..<2_000 {
            if Int.random(in: 0..<3, using: &generator) > 0 || sleeps {
                next += 1
                if queue.record(next) { sleeps = false }
            } else if let _ = taken.popLast() {
                let isWritten = Bool.random(using: &generator)
                queue.finished(written: isWritten ? 1 : 0, failed: isWritten ? 0 : 1)
            } else {
                var entries: [RecorderQueue<Int>.Entry] = []
                switch queue.next(&entries) {
                case .write:
                    taken = entries.map(\.element)
                    seen += taken
                case .sleep: sleeps = true
                case .end: #expect(Bool(false), "nobody has closed it")
                }
            }
            #expect(queue.statistics.isBalanced)
            #expect(queue.statistics.pending <= queue.capacity)
        }
        expect(seen, equals: seen.sorted())
        expect(Set(seen).count, equals: seen.count)
        expect(queue.statistics.recorded, equals: next)
        expect(seen.count, equals: next - queue.statistics.dropped - (queue.statistics.pending - taken.count))
    }
}
