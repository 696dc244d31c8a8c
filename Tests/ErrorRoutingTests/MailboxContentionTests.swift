import Dispatch
import Synchronization
import Testing

@testable import ErrorRouting

@Suite("A mailbox under contention (behaviours 11 and 13)", .timeLimit(.minutes(2)))
struct MailboxContentionTests {
    // Its link is the mailbox's.
    private final class Letter: MailboxItem, @unchecked Sendable {
        var next: UInt = 0
        let sender: Int
        let number: Int

        init(sender: Int, number: Int) { (self.sender, self.number) = (sender, number) }
    }

    /// A mailbox whose reader sleeps on a semaphore.
    private final class Post: Sendable {
        let mailbox = Mailbox<Letter>()
        let wakeUps = DispatchSemaphore(value: 0)
        let sleeps = Atomic<Int>(0)
        let wakes = Atomic<Int>(0)

        func push(_ letter: Letter) {
            if mailbox.push(letter) == .pushedToSleeper { wake() }
        }

        func wake() {
            wakes.wrappingAdd(1, ordering: .relaxed)
            wakeUps.signal()
        }

        /// What the reader takes: nothing, if it slept.
        func takeAllOrSleep() -> MailboxBatch<Letter> {
            let batch = mailbox.takeAll()
            if batch.isEmpty, mailbox.sleep() {
                sleeps.wrappingAdd(1, ordering: .relaxed)
                wakeUps.wait()
            }
            return batch
        }
    }

    // A wake too few would leave the reader asleep for good, and this test to its time limit; one too many would be
    // counted.
    @Test("nothing is lost or doubled, pushers' orders are kept, and each sleep is ended once", arguments: [1, 2, 8])
    func pushersAgainstReader(pushers: Int) async {
        let each = 16_000 / pushers
        let (post, read) = (Post(), Journal<Int>())
        await onThreads(pushers + 1) { thread in
            guard thread == pushers else {
                for number in 0..<each { post.push(Letter(sender: thread, number: number)) }
                return
            }
            var next = [Int](repeating: 0, count: pushers)
            var (count, isOrdered) = (0, true)
            while count < pushers * each {
                var batch = post.takeAllOrSleep()
                while let letter = batch.popFirst() {
                    isOrdered = isOrdered && letter.number == next[letter.sender]
                    next[letter.sender] += 1
                    count += 1
                }
            }
            read.note(isOrdered ? count : -1)
        }
        #expect(read.entries == [pushers * each])
        #expect(post.sleeps.load(ordering: .relaxed) == post.wakes.load(ordering: .relaxed))
        let rest = post.mailbox.takeAll().isEmpty
        #expect(rest)
    }

    @Test("pushers and rousers together end each sleep once")
    func rousersAndPushers() async {
        let (pushers, rousers, each) = (2, 2, 4_000)
        let (post, read, over) = (Post(), Journal<Int>(), Countdown(1))
        await onThreads(pushers + rousers + 1) { thread in
            switch thread {
            case 0..<pushers:
                for number in 0..<each { post.push(Letter(sender: thread, number: number)) }
            case pushers:
                var count = 0
                while count < pushers * each {
                    var batch = post.takeAllOrSleep()
                    while batch.popFirst() != nil { count += 1 }
                }
                read.note(count)
                over.step()
            default:
                while !over.isOver { if post.mailbox.rouse() { post.wake() } }
            }
        }
        #expect(read.entries == [pushers * each])
        #expect(post.sleeps.load(ordering: .relaxed) == post.wakes.load(ordering: .relaxed))
    }

    @Test("shut in the midst of pushes: each element is taken, or refused", arguments: 0..<20)
    func shutInTheMidst(round: Int) async {
        let (pushers, each) = (3, 500)
        let (post, taken, refused) = (Post(), Journal<Letter>(), Journal<Letter>())
        await onThreads(pushers + 1) { thread in
            if thread == pushers {
                for _ in 0..<(round * 20) {
                    var batch = post.mailbox.takeAll()
                    while let letter = batch.popFirst() { taken.note(letter) }
                }
                var batch = post.mailbox.shut()
                while let letter = batch.popFirst() { taken.note(letter) }
            } else {
                for number in 0..<each {
                    let letter = Letter(sender: thread, number: number)
                    if post.mailbox.push(letter) == .refused { refused.note(letter) }
                }
            }
        }
        for pusher in 0..<pushers {
            let ends = (taken.entries + refused.entries).filter { $0.sender == pusher }.map(\.number)
            // Whatever was refused came after all that was taken, so one list after the other is the whole order.
            #expect(ends == Array(0..<each))
        }
        let isEmpty = post.mailbox.takeAll().isEmpty
        #expect(isEmpty)
    }
}
