import Synchronization

/// A lock-free queue of numbered slots: any thread fills the slot whose number it was given, and one reader empties
/// them in the order of their numbers.
///
/// The intake's word gives out each number once, and never more than `capacity` of them at a time: so the slot of a
/// number was emptied of its earlier number long before. The slots are in segments, which are allocated when first
/// needed and used again: as many as the pending reports need, and a few spare ones.
///
/// Values of a slot's state:
///
/// | state | meaning |
/// | --- | --- |
/// | `empty` | the slot holds no element yet |
/// | `asleep` | the slot holds no element yet, and the reader sleeps until it does |
/// | `filled` | the slot holds an element |
/// | `closed` | the slot will never hold an element: whoever comes to fill it takes the element out again |
///
/// Invariants:
///
/// 1. Filling never waits, neither for the reader nor for other posters.
/// 2. An element is written before its slot's state is exchanged for `filled`, and read only after that state was read:
///    the exchange releases, the reader's load acquires. And a slot is empty when its next number is given out: the
///    reader empties it, then publishes with release that one more report may be accepted, and the poster who gets the
///    number for that has read this with acquire. Only the slot that the reader is at is emptied later; no number that
///    is out falls on it, since there are more slots than such numbers.
/// 3. The reader is woken by whoever finds `asleep` in that exchange, or replaces it in ``rouse(at:)``, and by nobody
///    else.
/// 4. A segment leaves the directory when its last slot is emptied. By then all of its numbers are used up, and no
///    number that maps to the same index is out, since the directory has room for two segments more than `capacity`
///    needs.
/// 5. A spare segment is all empty, and nobody looks into it: a poster does not touch a slot after its exchange,
///    unless it was refused, and by then no segment leaves the directory any more. Whoever takes a spare segment by
///    exchange has it alone until it is installed.
///
/// The methods under "The reader's side" are called by one thread at a time, which debug builds assert.
///
/// Memory orders:
///
/// - A slot's state is exchanged by whoever fills it, and read with acquire: the element is written before, and a
///   reader that sleeps is seen. It is emptied with release: the element is gone before the slot's next number is given
///   out.
/// - `directory` is swapped, and read with acquire: who finds a segment finds its slots initialised, or emptied.
/// - `spares` are exchanged: who takes a segment finds its slots emptied. The relaxed look before that is a guess.
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
    private typealias Segment = UnsafeMutableRawPointer
    private typealias Directory = UnsafeMutablePointer<Atomic<UInt>>

    /// The addresses of the segments in use, or 0.
    private let directory: Directory
    private let mask: Int
    /// The addresses of segments that can be used again, or 0.
    ///
    /// They save allocations in bursts: before it allocates a block of a segment's size, the system's allocator
    /// consolidates all the small blocks that were freed before, which are mostly errors.
    private let spares: Directory
    /// Whether a thread is in a method of the reader's side; used in debug builds only.
    private let isBeingRead = Atomic<Bool>(false)

    /// - Parameter capacity: How many slots may be out at a time; at most ``MailboxLimits/capacity``.
    init(capacity: Int) {
        let needed = capacity / MailboxLimits.segment + 3
        let size = 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
        mask = size - 1
        unsafe directory = .allocate(capacity: size)
        for index in 0..<size { unsafe (directory + index).initialize(to: Atomic(0)) }
        unsafe spares = .allocate(capacity: MailboxLimits.spares)
        for index in 0..<MailboxLimits.spares { unsafe (spares + index).initialize(to: Atomic(0)) }
    }

    deinit {
        for index in 0...mask {
            guard let segment = unsafe Segment(bitPattern: directory[index].load(ordering: .acquiring)) else {
                continue
            }
            for slot in 0..<MailboxLimits.segment {
                if unsafe Self.state(segment, slot).pointee.load(ordering: .acquiring) == State.filled {
                    unsafe Self.element(segment, slot).deinitialize(count: 1)
                }
            }
            unsafe Self.discard(segment)
        }
        unsafe directory.deinitialize(count: mask + 1)
        unsafe directory.deallocate()
        while let segment = unsafe takeSpare() { unsafe Self.discard(segment) }
        unsafe spares.deinitialize(count: MailboxLimits.spares)
        unsafe spares.deallocate()
    }

    /// Fills the slot of a number.
    ///
    /// - Parameters:
    ///   - number: The slot's number, which only the caller was given.
    ///   - element: The element to put there.
    @inline(__always)
    func fill(_ number: Int64, with element: consuming Element) -> FillResult {
        let (segment, slot) = unsafe (segment(of: number), Self.slot(of: number))
        unsafe Self.element(segment, slot).initialize(to: element)
        let state = unsafe Self.state(segment, slot)
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
        unsafe Self.element(segment(of: number), Self.slot(of: number)).move()
    }

    // MARK: The reader's side

    /// Returns the address of the element in a slot, which stays there until the slot is emptied; nil if the slot is
    /// not filled.
    @inline(__always)
    func element(at number: Int64) -> UnsafeMutablePointer<Element>? {
        guard let segment = unsafe installedSegment(of: number) else { return nil }
        let slot = Self.slot(of: number)
        let isFilled = unsafe Self.state(segment, slot).pointee.load(ordering: .acquiring) == State.filled
        return unsafe isFilled ? Self.element(segment, slot) : nil
    }

    /// Empties a filled slot, whose element is at an address, and returns the element; all slots before it are empty.
    @inline(__always)
    func take(_ element: UnsafeMutablePointer<Element>, of number: Int64) -> Element {
        beginReading()
        defer { endReading() }
        let slot = unsafe UnsafeMutableRawPointer(element) - Self.offset
        let taken = unsafe element.move()
        unsafe slot.assumingMemoryBound(to: Atomic<UInt>.self).pointee.store(State.empty, ordering: .releasing)
        if Self.slot(of: number) == MailboxLimits.segment - 1 { emptied(at: index(of: number)) }
        return taken
    }

    /// Takes a segment out of the directory, since its last slot was emptied.
    @inline(never)
    private func emptied(at index: Int) {
        guard let segment = unsafe Segment(bitPattern: directory[index].exchange(0, ordering: .acquiringAndReleasing))
        else { return }
        unsafe keep(segment)
    }

    /// Asks whoever fills a slot to wake the reader.
    ///
    /// - Returns: Whether the reader may sleep; if not, the slot is filled.
    func sleep(at number: Int64) -> Bool {
        beginReading()
        defer { endReading() }
        let state = unsafe Self.state(segment(of: number), Self.slot(of: number))
        let (isAsleep, found) = unsafe state.pointee.replace(State.empty, by: State.asleep)
        return isAsleep || found == State.asleep
    }

    /// Ends the reader's sleep at a slot that is not filled.
    ///
    /// - Returns: Whether the reader slept, and the caller has to wake it.
    func rouse(at number: Int64) -> Bool {
        guard let segment = unsafe installedSegment(of: number) else { return false }
        let state = unsafe Self.state(segment, Self.slot(of: number))
        return unsafe state.pointee.replace(State.asleep, by: State.empty).isReplaced
    }

    /// Takes the element of a slot that was given out; if the slot is not filled yet, its poster will be refused.
    ///
    /// Called for all slots that are left, once no more numbers are given out. Segments stay in the directory.
    func close(_ number: Int64) -> Element? {
        let (segment, slot) = unsafe (segment(of: number), Self.slot(of: number))
        let found = unsafe Self.state(segment, slot).pointee.exchange(State.closed, ordering: .acquiringAndReleasing)
        return found == State.filled ? unsafe Self.element(segment, slot).move() : nil
    }

    /// Asserts that there is one reader at a time; ``close(_:)`` may be called beside it.
    @inline(__always)
    private func beginReading() {
        assert(!isBeingRead.exchange(true, ordering: .acquiring), "two threads read the mailbox at a time")
    }

    @inline(__always)
    private func endReading() {
        assert(isBeingRead.exchange(false, ordering: .releasing), "nobody was reading the mailbox")
    }
}

// MARK: - Segments

extension Mailbox {
    private func index(of number: Int64) -> Int {
        // If `Int` has 32 bits, the bits that are cut off are not in the mask.
        Int(truncatingIfNeeded: number / Int64(MailboxLimits.segment)) & mask
    }

    private static func slot(of number: Int64) -> Int { Int(number % Int64(MailboxLimits.segment)) }

    private func installedSegment(of number: Int64) -> Segment? {
        unsafe Segment(bitPattern: directory[index(of: number)].load(ordering: .acquiring))
    }

    /// Returns the segment of a number that was given out; installs one if there is none yet.
    private func segment(of number: Int64) -> Segment {
        unsafe installedSegment(of: number) ?? install(at: index(of: number))
    }

    private func install(at index: Int) -> Segment {
        let made = unsafe takeSpare() ?? Self.makeSegment()
        let (isInstalled, other) = unsafe directory[index].replace(0, by: UInt(bitPattern: made))
        guard !isInstalled, let winner = unsafe Segment(bitPattern: other) else { return unsafe made }
        unsafe keep(made)
        return unsafe winner
    }

    private func takeSpare() -> Segment? {
        for index in 0..<MailboxLimits.spares where unsafe spares[index].load(ordering: .relaxed) != 0 {
            let spare = unsafe spares[index].exchange(0, ordering: .acquiringAndReleasing)
            if let spare = unsafe Segment(bitPattern: spare) { return unsafe spare }
        }
        return nil
    }

    /// Keeps an empty segment for later use, or deallocates it.
    private func keep(_ segment: Segment) {
        for index in 0..<MailboxLimits.spares where unsafe spares[index].load(ordering: .relaxed) == 0 {
            if unsafe spares[index].replace(0, by: UInt(bitPattern: segment)).isReplaced { return }
        }
        unsafe Self.discard(segment)
    }

    private static func makeSegment() -> Segment {
        // Each slot begins at a cache line, so that posters who fill adjacent slots do not disturb each other.
        let segment = Segment.allocate(byteCount: MailboxLimits.segment * stride, alignment: 64)
        for slot in 0..<MailboxLimits.segment {
            unsafe (segment + slot * stride).initializeMemory(as: Atomic<UInt>.self, to: Atomic(State.empty))
        }
        return unsafe segment
    }

    private static func discard(_ segment: Segment) {
        for slot in 0..<MailboxLimits.segment { unsafe state(segment, slot).deinitialize(count: 1) }
        unsafe segment.deallocate()
    }

    private static var offset: Int { max(MemoryLayout<Atomic<UInt>>.stride, MemoryLayout<Element>.alignment) }
    private static var stride: Int { (offset + MemoryLayout<Element>.size + 63) / 64 * 64 }

    private static func state(_ segment: Segment, _ slot: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        unsafe (segment + slot * stride).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    private static func element(_ segment: Segment, _ slot: Int) -> UnsafeMutablePointer<Element> {
        unsafe (segment + slot * stride + offset).assumingMemoryBound(to: Element.self)
    }
}

enum MailboxLimits {
    /// How many slots a segment has.
    static let segment = 64
    /// The most segments that are kept for later use.
    static let spares = 16
    /// The most slots that may be given out at a time: a larger directory would take much memory.
    static let capacity = 1 << 26
}

/// The values of a slot's state.
private enum MailboxState {
    static let empty: UInt = 0
    static let asleep: UInt = 1
    static let closed: UInt = 2
    static let filled: UInt = 3
}
