import Synchronization
import TestSupport
import Testing

@testable import ErrorRouting

/// A mailbox for numbered items that count their deallocation; an item's number is its position.
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

    func take(_ position: Int) -> Int? { isFilled(position) ? mailbox.take(Int64(position)).number : nil }
    /// Inserts an item whose number is its turn, and returns its address.
    func insert(_ turn: UInt64) -> UInt {
        unsafe UInt(bitPattern: mailbox.insert(Item(Int(turn), ends), at: turn))
    }

    /// Takes an inserted item.
    func take(_ address: UInt) -> Int? {
        unsafe UnsafeMutablePointer<Item>(bitPattern: address).map { unsafe mailbox.take($0).number }
    }

    func close(_ position: Int) -> Int? { mailbox.close(Int64(position))?.number }
    func empty(_ position: Int) { _ = mailbox.take(Int64(position)) }
    func sleep(at position: Int) -> Bool { mailbox.sleep(at: Int64(position)) }
    func rouse(at position: Int) -> Bool { mailbox.rouse(at: Int64(position)) }

    /// The address of the item in a filled slot.
    func address(of position: Int) -> UInt { unsafe UInt(bitPattern: mailbox.element(at: Int64(position))) }

    func isFilled(_ position: Int) -> Bool { mailbox.isFilled(at: Int64(position)) }

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

extension Mailbox {
    func isFilled(at number: Int64) -> Bool { unsafe element(at: number) != nil }

    /// Empties a filled slot, and returns its element.
    func take(_ number: Int64) -> Element {
        guard let element = unsafe element(at: number) else { preconditionFailure("slot \(number) is not filled") }
        return unsafe take(element)
    }
}
