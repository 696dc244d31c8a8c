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
    func fill(_ place: Int) -> FillResult {
        let answer = mailbox.fill(Int64(place), with: Item(place, ends))
        if answer == .refused { expect(mailbox.reclaim(Int64(place)).number, equals: place) }
        return answer
    }

    func take(_ place: Int) -> Int? { isFilled(place) ? mailbox.take(Int64(place)).number : nil }
    func close(_ place: Int) -> Int? { mailbox.close(Int64(place))?.number }
    func empty(_ place: Int) { _ = mailbox.take(Int64(place)) }
    func sleep(at place: Int) -> Bool { mailbox.sleep(at: Int64(place)) }
    func rouse(at place: Int) -> Bool { mailbox.rouse(at: Int64(place)) }

    /// The address of the item in a filled slot.
    func address(of place: Int) -> UInt { unsafe UInt(bitPattern: mailbox.element(at: Int64(place))) }

    func isFilled(_ place: Int) -> Bool { mailbox.isFilled(at: Int64(place)) }

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
