import Foundation
import Synchronization

/// A lock-free queue of numbered slots: any thread fills the slot whose number it was given, and one reader empties
/// them in the order of their numbers.
///
/// The intake's word gives out each number once, and never more than `capacity` of them at a time: so the slot of a
/// number was emptied of its earlier number long before. The slots are a ring, whose memory the system provides page by
/// page, as it is first used.
///
/// Values of a slot's state:
///
/// | state | meaning |
/// | --- | --- |
/// | `empty` | the slot holds no element yet |
/// | `asleep` | the slot holds no element yet, and the reader sleeps until it does |
/// | `filled` | the slot holds an element |
/// | `closed` | the slot is not read any more: whoever comes to fill it takes the element out again |
///
/// Invariants:
///
/// 1. Filling never waits, neither for the reader nor for other posters.
/// 2. An element is written before its slot's state is exchanged for `filled`, and read only after that state was read:
///    the exchange releases, the reader's load acquires. And a slot is empty when its next number is given out: the
///    reader empties it, with release, then publishes with release that one more report may be accepted, and the poster
///    who gets the number for that has read this with acquire. Only the slots that the reader is at and has just left
///    are emptied later; no number that is out falls on them, since there are two slots more than such numbers.
/// 3. The reader is woken by whoever finds `asleep` in that exchange, or replaces it in ``rouse(at:)``, and by nobody
///    else.
///
/// The methods under "The reader's side" are called by one thread at a time.
@safe struct Mailbox<Element: Sendable>: ~Copyable, @unchecked Sendable {
    // Unchecked for the pointers: their memory is accessed by the invariants above.

    enum FillResult {
        case filled
        /// The reader sleeps and has to be woken.
        case filledForSleeper
        /// The mailbox is closed; the caller has to reclaim the element.
        case refused
    }

    private typealias State = MailboxState
    private typealias Slot = UnsafeMutableRawPointer

    /// The slots, with room to begin at a cache line.
    private let memory: UnsafeMutableRawPointer
    private let slots: Slot
    /// The number of slots, which is a power of two, less one.
    private let mask: Int

    /// - Parameter capacity: How many slots may be out at a time; at most ``BusIntake/maximumCapacity``.
    init(capacity: Int) {
        mask = (1 << (Int.bitWidth - (capacity + 1).leadingZeroBitCount)) - 1
        // All zero: each state is `empty`. Not written, so that a slot takes no memory before it is used, unless it was
        // that of a bus before. No pages by `mmap`, where checkers for leaks would not find what is pending.
        guard let memory = unsafe calloc((mask + 1) * Self.stride + Self.cacheLine, 1) else {
            fatalError("there is no memory for a bus with a capacity of \(capacity)")
        }
        unsafe self.memory = unsafe memory
        unsafe slots = unsafe memory.alignedUp(toMultipleOf: Self.cacheLine)
    }

    deinit {
        for number in 0...Int64(mask) {
            if let element = unsafe element(at: number) { unsafe element.deinitialize(count: 1) }
        }
        unsafe free(memory)
    }

    /// Fills the slot of a number.
    ///
    /// - Parameters:
    ///   - number: The slot's number, which only the caller was given.
    ///   - element: The element to put there.
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

    /// Takes an element that was refused out of its slot.
    func reclaim(_ number: Int64) -> Element {
        unsafe Self.element(in: slot(of: number)).move()
    }

    // MARK: The reader's side

    /// Returns the address of the element in a slot, which stays there until the slot is emptied; nil if the slot is
    /// not filled.
    @inline(__always)
    func element(at number: Int64) -> UnsafeMutablePointer<Element>? {
        let slot = unsafe slot(of: number)
        let isFilled = unsafe Self.state(of: slot).pointee.load(ordering: .acquiring) == State.filled
        return unsafe isFilled ? Self.element(in: slot) : nil
    }

    /// Empties a filled slot, whose element is at an address, and returns the element; all slots before it are empty.
    @inline(__always)
    func take(_ element: UnsafeMutablePointer<Element>) -> Element {
        let taken = unsafe element.move()
        unsafe Self.state(of: Slot(element) - Self.offset).pointee.store(State.empty, ordering: .releasing)
        return taken
    }

    /// Asks whoever fills a slot to wake the reader.
    ///
    /// - Returns: Whether the reader may sleep; if not, the slot is filled, or closed.
    func sleep(at number: Int64) -> Bool {
        let state = unsafe Self.state(of: slot(of: number))
        let (isAsleep, found) = unsafe state.pointee.replace(State.empty, by: State.asleep)
        return isAsleep || found == State.asleep
    }

    /// Ends the reader's sleep at a slot that is not filled.
    ///
    /// - Returns: Whether the reader slept, and the caller has to wake it.
    func rouse(at number: Int64) -> Bool {
        unsafe Self.state(of: slot(of: number)).pointee.replace(State.asleep, by: State.empty).isReplaced
    }

    /// Takes the element of a slot that was given out; if the slot is not filled yet, its poster will be refused.
    ///
    /// Called for all slots that are left, once no more numbers are given out.
    func close(_ number: Int64) -> Element? {
        let slot = unsafe slot(of: number)
        let found = unsafe Self.state(of: slot).pointee.exchange(State.closed, ordering: .acquiringAndReleasing)
        return found == State.filled ? unsafe Self.element(in: slot).move() : nil
    }

    // MARK: Slots

    // If `Int` has 32 bits, the bits that are cut off are not in the mask.
    private func slot(of number: Int64) -> Slot {
        unsafe slots + (Int(truncatingIfNeeded: number) & mask) * Self.stride
    }

    private static var cacheLine: Int { 64 }
    private static var offset: Int { max(MemoryLayout<Atomic<UInt>>.stride, MemoryLayout<Element>.alignment) }
    /// Each slot begins at a cache line, so that posters who fill adjacent slots do not disturb each other.
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
