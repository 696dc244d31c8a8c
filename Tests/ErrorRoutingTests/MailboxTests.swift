import Synchronization
import Testing

@testable import ErrorRouting

@Suite("A mailbox loses nothing, keeps the order, and wakes its reader once (behaviours 11 and 13)")
struct MailboxTests {
    @Test("everything is taken whole, in the order in which it was pushed")
    func order() {
        let box = Box()
        for number in 1...4 { #expect(box.push(number) == .pushed) }
        #expect(box.takeAll() == [1, 2, 3, 4])
        #expect(box.takeAll() == [])
        #expect(box.push(5) == .pushed)
        #expect(box.takeAll() == [5])
    }

    @Test("what is pushed after a batch was taken is not in it")
    func batchesAreApart() {
        let box = Box()
        box.push(1)
        var batch = box.mailbox.takeAll()
        box.push(2)
        let (first, second) = (batch.popFirst(), batch.popFirst())
        #expect(first?.number == 1 && second == nil)
        #expect(box.takeAll() == [2])
    }

    @Test("only the first push after the reader lay down wakes it")
    func wakingOnce() {
        let box = Box()
        #expect(box.push(1) == .pushed)
        _ = box.takeAll()
        for number in [2, 5, 8] {
            #expect(box.sleep())
            #expect(box.push(number) == .pushedToSleeper)
            #expect(box.push(number + 1) == .pushed)
            #expect(box.takeAll() == [number, number + 1])
            #expect(box.push(number + 2) == .pushed)
            #expect(box.takeAll() == [number + 2])
        }
    }

    @Test("the reader may not lie down while something is there")
    func noSleepOverItems() {
        let box = Box()
        box.push(1)
        #expect(!box.sleep())
        #expect(box.push(2) == .pushed)
        #expect(box.takeAll() == [1, 2])
        #expect(box.sleep())
    }

    @Test("lying down twice, or looking into the mailbox meanwhile, is still one sleep")
    func sleepingTwice() {
        let box = Box()
        #expect(box.sleep() && box.sleep())
        #expect(box.takeAll() == [])
        #expect(box.push(1) == .pushedToSleeper)
        #expect(box.push(2) == .pushed)
    }

    @Test("a roused reader is woken by whoever roused it, and by nobody else")
    func rousing() {
        let box = Box()
        #expect(!box.rouse())
        #expect(box.sleep())
        #expect(box.rouse())
        #expect(!box.rouse())
        #expect(box.push(1) == .pushed)
        #expect(!box.rouse())
    }

    @Test("shut hands over what is there, and refuses whatever comes after")
    func shutting() {
        let box = Box()
        for number in 1...3 { box.push(number) }
        #expect(box.shut() == [1, 2, 3])
        #expect(box.push(4) == .refused)
        #expect(box.takeAll() == [])
        #expect(!box.sleep() && !box.rouse())
        #expect(box.push(5) == .refused)
        #expect(box.shut() == [])
    }

    @Test("shut over a sleeper wakes nobody: who shuts knows of it")
    func shuttingOverSleeper() {
        let box = Box()
        #expect(box.sleep())
        #expect(box.shut() == [])
        #expect(!box.rouse())
        #expect(box.push(1) == .refused)
    }

    @Test("every item is let go once, wherever it was left: in the mailbox, in a batch, taken, refused")
    func everyItemIsLetGo() {
        let ends = Ends()
        do {
            let mailbox = Mailbox<Item>()
            for number in 0..<5 { _ = mailbox.push(Item(number, ends)) }
            var batch = mailbox.takeAll()
            let taken = batch.popFirst()
            withExtendedLifetime(taken) { #expect(ends.count == 0) }
            // Three more are left in the batch, and two in the mailbox.
            _ = batch.popFirst()
            for number in 5..<7 { _ = mailbox.push(Item(number, ends)) }
        }
        #expect(ends.count == 7)
        let box = Box()
        _ = box.mailbox.push(Item(1, ends))
        #expect(box.shut() == [1])
        #expect(ends.count == 8)
        #expect(box.mailbox.push(Item(2, ends)) == .refused)
        #expect(ends.count == 9)
    }

    @Test("a batch that takes another's place lets go of what is left in the first")
    func replacedBatch() {
        let ends = Ends()
        let box = Box()
        for number in 0..<3 { _ = box.mailbox.push(Item(number, ends)) }
        var batch = box.mailbox.takeAll()
        _ = batch.popFirst()
        batch = box.mailbox.takeAll()
        #expect(ends.count == 3)
        let isEmpty = batch.isEmpty
        #expect(isEmpty)
    }

    @Test("the oldest item stays in the batch if it is not of the kind that is wanted")
    func wantedItems() {
        let box = Box()
        for number in 1...3 { box.push(number) }
        var batch = box.mailbox.takeAll()
        let numbers = [
            batch.popFirst { $0.number == 2 }, batch.popFirst { $0.number == 1 }, batch.popFirst { $0.number == 1 },
            batch.popFirst(), batch.popFirst { _ in true }, batch.popFirst { _ in true },
        ]
        #expect(numbers.map { $0?.number } == [nil, 1, nil, 2, 3, nil])
    }

    // Items that owned the next ones would need a stack frame each: far more than a thread's stack holds.
    @Test("a million items are let go without recursion, in a mailbox and in a batch")
    func longListsEnd() {
        let ends = Ends()
        do {
            let mailbox = Mailbox<Item>()
            for number in 0..<1_000_000 { _ = mailbox.push(Item(number, ends)) }
        }
        #expect(ends.count == 1_000_000)
        do {
            let box = Box()
            for number in 0..<1_000_000 { _ = box.mailbox.push(Item(number, ends)) }
            var batch = box.mailbox.takeAll()
            let first = batch.popFirst()
            #expect(first?.number == 0)
        }
        #expect(ends.count == 2_000_000)
    }

    @Test("random operations answer what a plain array would", arguments: 0..<100 as Range<UInt64>)
    func randomOperations(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let box = Box()
        var (waiting, isAsleep, isShut): ([Int], Bool, Bool) = ([], false, false)
        for step in 0..<500 {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<50:
                #expect(box.push(step) == (isShut ? .refused : isAsleep ? .pushedToSleeper : .pushed))
                if !isShut { waiting.append(step) }
                isAsleep = false
            case ..<65:
                #expect(box.takeAll() == waiting)
                waiting = []
            case ..<85:
                isAsleep = waiting.isEmpty && !isShut
                #expect(box.sleep() == isAsleep)
            case ..<99:
                #expect(box.rouse() == isAsleep)
                isAsleep = false
            default:
                #expect(box.shut() == waiting)
                (waiting, isAsleep, isShut) = ([], false, true)
            }
        }
    }

    /// A mailbox whose answers can be compared.
    private final class Box: Sendable {
        let mailbox = Mailbox<Item>()

        @discardableResult
        func push(_ number: Int) -> Mailbox<Item>.PushAnswer { mailbox.push(Item(number)) }
        func takeAll() -> [Int] { numbers(mailbox.takeAll()) }
        func shut() -> [Int] { numbers(mailbox.shut()) }
        func sleep() -> Bool { mailbox.sleep() }
        func rouse() -> Bool { mailbox.rouse() }

        private func numbers(_ batch: consuming MailboxBatch<Item>) -> [Int] {
            var batch = batch
            var numbers: [Int] = []
            while let item = batch.popFirst() { numbers.append(item.number) }
            return numbers
        }
    }

    /// Counts the ends of objects.
    private final class Ends: Sendable {
        fileprivate let counter = Atomic<Int>(0)

        var count: Int { counter.load(ordering: .relaxed) }
    }

    // Its link is the mailbox's.
    private final class Item: MailboxItem, @unchecked Sendable {
        var next: UInt = 0
        let number: Int
        private let ends: Ends?

        init(_ number: Int, _ ends: Ends? = nil) { (self.number, self.ends) = (number, ends) }

        deinit { ends?.counter.wrappingAdd(1, ordering: .relaxed) }
    }
}
