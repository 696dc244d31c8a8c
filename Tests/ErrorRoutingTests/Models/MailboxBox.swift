import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// A mailbox for numbered items that count their deallocations.
///
/// An item's number is its position.
final class MailboxBox: Sendable {
    typealias FillResult = Mailbox<Item>.FillResult

    let mailbox: Mailbox<Item>
    let ends: Ends

    init(capacity: Int, ends: Ends = Ends()) {
        mailbox = Mailbox(capacity: capacity)
        self.ends = ends
    }

    @discardableResult
    func fill(_ position: Int) -> FillResult {
        let answer = mailbox.fill(Int64(position), with: Item(position, ends))
        if answer == .refused { expect(mailbox.reclaim(Int64(position)).number, equals: position) }
        return answer
    }

    func take(_ position: Int) -> Int? { mailbox.take(Int64(position))?.number }
    func close(_ position: Int) -> Int? { mailbox.close(Int64(position))?.number }
    func empty(_ position: Int) { _ = mailbox.take(Int64(position)) }
    func sleep(at position: Int) -> Bool { mailbox.sleep(at: Int64(position)) }
    func endSleep(at position: Int) -> Bool { mailbox.endSleep(at: Int64(position)) }

    func isFilled(_ position: Int) -> Bool { mailbox.isFilled(Int64(position)) }

    /// The counts of created and of deallocated items.
    final class Ends: Sendable {
        private let made = Atomic<Int>(0)
        private let ended = Atomic<Int>(0)

        var count: Int { ended.load(ordering: .acquiring) }
        var alive: Int { made.load(ordering: .acquiring) - count }

        fileprivate func begin() { made.wrappingAdd(1, ordering: .releasing) }
        fileprivate func end() { ended.wrappingAdd(1, ordering: .releasing) }
    }

    /// An item that is larger than a cache line, and retains an object.
    struct Item: Sendable {
        let number: Int
        private let padding: SIMD16<Int>
        private let life: Life

        init(_ number: Int, _ ends: Ends) {
            self.number = number
            padding = SIMD16(repeating: number)
            life = Life(ends)
        }
    }

    private final class Life: Sendable {
        private let ends: Ends

        init(_ ends: Ends) {
            self.ends = ends
            ends.begin()
        }

        deinit { ends.end() }
    }
}
