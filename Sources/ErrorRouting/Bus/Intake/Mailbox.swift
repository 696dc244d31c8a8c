import Foundation
import Synchronization

/// A lock-free queue of numbered slots: any thread fills the slot with its number, and one reader empties the slots in
/// numeric order.
///
/// The intake's word assigns each number once and never has more than `capacity` of them outstanding. Therefore the
/// slot of a number was emptied of its earlier number before. The slots are a ring; the system provides its memory page
/// by page, on first use.
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
/// 2. An element is written before its slot's state is exchanged for `filled` and read only after that state was read:
///    the exchange releases, and the reader's load acquires. A slot is empty when its next number is assigned: the
///    reader empties it with release and then publishes with release that one more report can be accepted. The caller
///    that receives a number because of that has read this with acquire.
/// 3. Only the thread that finds `asleep` in that exchange, or replaces it in ``rouse(at:)``, wakes the reader.
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
    private typealias Slot = UnsafeMutableRawPointer

    /// The slots, with room for alignment to a cache line.
    private let memory: UnsafeMutableRawPointer
    private let slots: Slot
    /// The number of the ring's slots, which is a power of two, less one.
    private let mask: Int

    /// - Parameter capacity: The number of slots that can be outstanding at a time; at most
    ///   ``BusIntake/maximumCapacity``.
    init(capacity: Int) {
        mask = (1 << (Int.bitWidth - (capacity - 1).leadingZeroBitCount)) - 1
        // All bytes are zero, so each state is `empty`. Don't write them: then a slot takes no memory before its use,
        // unless an earlier bus used that memory. Don't use `mmap`: leak checkers wouldn't find pending reports in its
        // pages.
        guard let memory = unsafe calloc((mask + 1) * Self.stride + Self.cacheLine, 1) else {
            fatalError("there is no memory for a bus with a capacity of \(capacity)")
        }
        unsafe self.memory = unsafe memory
        unsafe slots = unsafe memory.alignedUp(toMultipleOf: Self.cacheLine)
    }

    deinit {
        for index in 0...mask {
            let slot = unsafe slots + index * Self.stride
            if unsafe Self.state(of: slot).pointee.load(ordering: .acquiring) == State.filled {
                unsafe Self.element(in: slot).deinitialize(count: 1)
            }
        }
        unsafe free(memory)
    }

    /// Fills the slot of a number.
    ///
    /// - Parameters:
    ///   - number: The slot's number, which only the caller received.
    ///   - element: The element to store.
    @inline(__always)
    func fill(_ number: Int64, with element: consuming Element) -> FillResult {
        let slot = unsafe slot(of: number)
        unsafe Self.element(in: slot).initialize(to: element)
        let state = unsafe Self.state(of: slot)
        switch unsafe state.pointee.exchange(State.filled, ordering: .acquiringAndReleasing) {
        case State.asleep:
            return .filledForSleeper
        case State.closed:
            unsafe state.pointee.store(State.closed, ordering: .relaxed)
            return .refused
        default:
            return .filled
        }
    }

    /// Removes a refused element from its slot.
    func reclaim(_ number: Int64) -> Element {
        unsafe Self.element(in: slot(of: number)).move()
    }

    // MARK: The reader's side

    /// Whether the slot of a number holds its element.
    @inline(__always)
    func isFilled(_ number: Int64) -> Bool { unsafe Self.isFilled(slot(of: number)) }

    /// Calls a closure with the element in a slot; nil if the slot isn't filled.
    func read<Result>(_ number: Int64, _ body: (borrowing Element) -> Result) -> Result? {
        let slot = unsafe slot(of: number)
        return unsafe Self.isFilled(slot) ? body(Self.element(in: slot).pointee) : nil
    }

    /// Empties a slot and returns its element; nil if the slot isn't filled.
    @inline(__always)
    func take(_ number: Int64) -> Element? {
        let slot = unsafe slot(of: number)
        guard unsafe Self.isFilled(slot) else { return nil }
        let taken = unsafe Self.element(in: slot).move()
        unsafe Self.state(of: slot).pointee.store(State.empty, ordering: .releasing)
        return taken
    }

    /// Requests that the thread that fills a slot wake the reader.
    ///
    /// - Returns: Whether the reader may sleep; if not, the slot is filled or closed.
    func sleep(at number: Int64) -> Bool {
        let state = unsafe Self.state(of: slot(of: number))
        let (isAsleep, found) = unsafe state.pointee.replace(State.empty, by: State.asleep)
        return isAsleep || found == State.asleep
    }

    /// Ends the reader's sleep at an unfilled slot.
    ///
    /// - Returns: Whether the reader slept, so that the caller must wake it.
    func rouse(at number: Int64) -> Bool {
        unsafe Self.state(of: slot(of: number)).pointee.replace(State.asleep, by: State.empty).isReplaced
    }

    /// Takes the element of an assigned slot; if the slot isn't filled yet, its caller will be refused.
    ///
    /// Called for all remaining slots once no more numbers are assigned.
    func close(_ number: Int64) -> Element? {
        let slot = unsafe slot(of: number)
        let found = unsafe Self.state(of: slot).pointee.exchange(State.closed, ordering: .acquiringAndReleasing)
        return found == State.filled ? unsafe Self.element(in: slot).move() : nil
    }

    // MARK: Slots

    // If `Int` has 32 bits, the truncated bits aren't in the mask.
    private func slot(of number: Int64) -> Slot {
        unsafe slots + (Int(truncatingIfNeeded: number) & mask) * Self.stride
    }

    @inline(__always)
    private static func isFilled(_ slot: Slot) -> Bool {
        unsafe state(of: slot).pointee.load(ordering: .acquiring) == State.filled
    }

    private static var cacheLine: Int { 64 }
    private static var offset: Int { max(MemoryLayout<Atomic<UInt>>.stride, MemoryLayout<Element>.alignment) }
    /// Each slot begins at a cache line, so that callers that fill adjacent slots don't disturb each other.
    private static var stride: Int { (offset + MemoryLayout<Element>.size + cacheLine - 1) / cacheLine * cacheLine }

    private static func state(of slot: Slot) -> UnsafeMutablePointer<Atomic<UInt>> {
        unsafe slot.assumingMemoryBound(to: Atomic<UInt>.self)
    }

    private static func element(in slot: Slot) -> UnsafeMutablePointer<Element> {
        unsafe (slot + offset).assumingMemoryBound(to: Element.self)
    }
}

/// The values of a slot's state.
private enum MailboxState {
    static let empty: UInt = 0
    static let asleep: UInt = 1
    static let closed: UInt = 2
    static let filled: UInt = 3
}
