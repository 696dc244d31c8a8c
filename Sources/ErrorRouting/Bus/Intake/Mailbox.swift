import Foundation
import Synchronization

/// A lock-free queue of numbered slots: any thread that has received a number fills the slot with that number, and one
/// reader empties the slots in numeric order.
///
/// The intake's word assigns each number once and never has more than `capacity` numbers outstanding. Therefore, when a
/// number is assigned, its slot has already been emptied of the previous element. The slots are a ring; the system
/// provides its memory page by page, on first use.
///
/// Values of a slot's state:
///
/// | state | meaning |
/// | --- | --- |
/// | `empty` | the slot holds no element yet |
/// | `asleep` | the slot holds no element yet, and the reader sleeps until it does |
/// | `filled` | the slot holds an element |
/// | `closed` | the slot is no longer read: the thread that fills it removes the element again |
///
/// Invariants:
///
/// 1. Filling never waits for the reader or for other callers.
/// 2. An element is written before its slot's state is exchanged for `filled`, and read only after that state was read:
///    the exchange releases, and the reader's load acquires. A slot is empty when its next number is assigned: the
///    reader empties it with release, and then publishes with release that one more report can be accepted. The caller
///    reads that publication with acquire before it receives the number.
/// 3. Only the thread that finds `asleep` in that exchange, or replaces it in ``endSleep(at:)``, wakes the reader.
///
/// The methods under "The reader's side" are called by one thread at a time.
@safe struct Mailbox<Element: Sendable>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: the invariants above govern access to their memory.

    enum FillResult {
        case filled
        /// The reader sleeps; the caller must wake it.
        case filledForSleeper
        /// The mailbox is closed; the caller must reclaim the element.
        case refused
    }

    private typealias State = MailboxState

    /// The slots, with room for alignment to a cache line.
    private let memory: UnsafeMutableRawPointer
    private let slots: UnsafeMutableRawPointer
    /// The number of the ring's slots, minus 1; the number of slots is a power of two.
    private let mask: Int

    /// - Parameter capacity: The number of slots that can be outstanding at a time; at most
    ///   ``BusIntake/maximumCapacity``.
    init(capacity: Int) {
        mask = (1 << (Int.bitWidth - (capacity - 1).leadingZeroBitCount)) - 1
        // All bytes are zero, so each state is `empty`. Don't write them: then a slot takes no memory before its use,
        // unless an earlier bus used that memory. Don't use `mmap`: leak checkers wouldn't find pending reports in its
        // pages.
        guard let memory = unsafe calloc((mask + 1) * Slot.stride + Slot.cacheLine, 1) else {
            fatalError("there is no memory for a bus with a capacity of \(capacity)")
        }
        unsafe self.memory = unsafe memory
        unsafe slots = unsafe memory.alignedUp(toMultipleOf: Slot.cacheLine)
    }

    deinit {
        for number in 0...mask { _ = take(Int64(number)) }
        unsafe free(memory)
    }

    /// Fills the slot of a number.
    ///
    /// - Parameters:
    ///   - number: The slot's number, which only the caller received.
    ///   - element: The element to store.
    @inline(__always)
    func fill(_ number: Int64, with element: consuming Element) -> FillResult {
        let slot = slot(of: number)
        slot.place.fill(with: element)
        switch slot.state.value.exchange(State.filled, ordering: .acquiringAndReleasing) {
        case State.asleep:
            return .filledForSleeper
        case State.closed:
            slot.state.value.store(State.closed, ordering: .relaxed)
            return .refused
        default:
            return .filled
        }
    }

    /// Removes a refused element from its slot.
    func reclaim(_ number: Int64) -> Element { slot(of: number).place.take() }

    // MARK: The reader's side

    /// Whether the slot of a number holds its element.
    @inline(__always)
    func isFilled(_ number: Int64) -> Bool { slot(of: number).isFilled }

    /// Calls a closure with the element in a slot; nil if the slot isn't filled.
    func read<Result>(_ number: Int64, _ body: (borrowing Element) -> Result) -> Result? {
        let slot = slot(of: number)
        return slot.isFilled ? body(slot.place.value) : nil
    }

    /// Empties a slot and returns its element; nil if the slot isn't filled.
    @inline(__always)
    func take(_ number: Int64) -> Element? {
        let slot = slot(of: number)
        guard slot.isFilled else { return nil }
        let taken = slot.place.take()
        slot.state.value.store(State.empty, ordering: .releasing)
        return taken
    }

    /// Requests that the thread that fills a slot wake the reader.
    ///
    /// - Returns: Whether the reader may sleep; if not, the slot is filled or closed.
    func sleep(at number: Int64) -> Bool {
        let (isAsleep, found) = slot(of: number).state.value.compareExchange(
            expected: State.empty, desired: State.asleep, ordering: .acquiringAndReleasing)
        return isAsleep || found == State.asleep
    }

    /// Ends the reader's sleep at an unfilled slot.
    ///
    /// - Returns: Whether the reader slept, so that the caller must wake it.
    func endSleep(at number: Int64) -> Bool {
        slot(of: number).state.value.compareExchange(
            expected: State.asleep, desired: State.empty, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Takes the element of an assigned slot; if the slot isn't filled yet, the thread that fills it is refused.
    ///
    /// Called for all remaining slots once no more numbers are assigned.
    func close(_ number: Int64) -> Element? {
        let slot = slot(of: number)
        let found = slot.state.value.exchange(State.closed, ordering: .acquiringAndReleasing)
        return found == State.filled ? slot.place.take() : nil
    }

    // If `Int` has 32 bits, the truncated bits aren't in the mask.
    @inline(__always)
    private func slot(of number: Int64) -> Slot {
        unsafe Slot(memory: slots + (Int(truncatingIfNeeded: number) & mask) * Slot.stride)
    }

    /// A slot: its state, and the place of its element.
    @safe private struct Slot {
        let memory: UnsafeMutableRawPointer

        static var cacheLine: Int { 64 }
        private static var offset: Int { max(MemoryLayout<State>.stride, MemoryLayout<Element>.alignment) }
        /// Each slot begins at a cache line, so that callers that fill adjacent slots don't disturb each other.
        static var stride: Int { (offset + MemoryLayout<Element>.size + cacheLine - 1) / cacheLine * cacheLine }

        var state: MailboxState {
            @inline(__always) unsafeAddress { unsafe UnsafePointer(memory.assumingMemoryBound(to: State.self)) }
            // Swift 6.2 needs this accessor too: see `FixedArray`.
            @inline(__always) nonmutating unsafeMutableAddress { unsafe memory.assumingMemoryBound(to: State.self) }
        }

        var place: Place<Element> { unsafe Place(at: memory + Self.offset) }

        @inline(__always)
        var isFilled: Bool { state.value.load(ordering: .acquiring) == State.filled }
    }
}

/// A slot's state.
private struct MailboxState: ~Copyable {
    let value: Atomic<UInt>

    static let empty: UInt = 0
    static let asleep: UInt = 1
    static let closed: UInt = 2
    static let filled: UInt = 3
}
