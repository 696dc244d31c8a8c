import Synchronization

/// A lock-free queue of numbered places: any thread fills the place whose number it was given, and one reader empties
/// them in the order of their numbers.
///
/// Who gives the numbers, the intake's word, gives each once, and only when the place of the same slot before it has
/// long been emptied: never more than `capacity` of them are out. The slots stand in segments that are made when first
/// needed, and used again: as many as what is pending needs, and a few to spare.
///
/// What a slot's state says:
///
/// | state | meaning |
/// | --- | --- |
/// | `empty` | nothing is there yet |
/// | `asleep` | nothing is there yet, and the reader sleeps until there is |
/// | `plain`, `special` | an element is there; which of the two, its poster has said |
/// | `shut` | nothing is there, and nothing ever will be: who comes to fill it takes its element back |
///
/// Invariants:
///
/// 1. Filling never waits, neither for the reader nor for others who fill.
/// 2. An element is written before its slot's state is exchanged for `plain` or `special`, and read only after that
///    state was: the exchange releases, the reader's load acquires. The reader empties a slot, but for the one that it
///    is at, before it says, with a release, that another number may be out; who gets that number has acquired it.
/// 3. Who finds `asleep` in that exchange, or replaces it by ``rouse(at:)``, and nobody else, wakes the reader.
/// 4. A segment leaves the directory when its last place is emptied. By then all of its numbers are used up, and none
///    of the numbers that come to stand in its place is out, since the directory has room for two segments more than
///    `capacity` takes.
/// 5. A segment to spare is empty all over, and nobody looks into it: nobody who fills a place does so after the
///    exchange, but for who was refused, and then no segment leaves the directory any more. Who takes it by exchange
///    has it alone until it is installed.
///
/// The methods under "The reader's side" are called by one thread at a time, which debug builds assert.
@safe struct Mailbox<Element: Sendable>: ~Copyable, @unchecked Sendable {
    // Unchecked for the addresses: what is there follows the rules above.

    enum FillAnswer {
        case filled
        /// The reader sleeps and has to be woken.
        case filledForSleeper
        /// The mailbox is shut; whoever filled the place has to take the element back.
        case refused
    }

    private typealias State = MailboxState
    private typealias Segment = UnsafeMutableRawPointer
    private typealias Directory = UnsafeMutablePointer<Atomic<UInt>>

    /// The addresses of the segments in use, or 0.
    private let directory: Directory
    private let mask: Int
    /// Segments that can be used again, or 0.
    ///
    /// A few, so that what comes in bursts needs no new ones: for blocks of their size the system's allocator first
    /// tidies up all that was freed before, errors above all.
    private let spares: Directory
    /// Whether someone is at the reader's side; looked at in debug builds.
    private let isBeingRead = Atomic<Bool>(false)

    /// - Parameter capacity: How many places may be out at a time; at most ``MailboxLimits/capacity``.
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
            for place in 0..<MailboxLimits.segment {
                if State.isFilled(unsafe Self.state(segment, place).pointee.load(ordering: .acquiring)) {
                    unsafe Self.element(segment, place).deinitialize(count: 1)
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

    /// Fills the place of a number.
    ///
    /// - Parameters:
    ///   - number: The place's, which the caller was given, and nobody else.
    ///   - isSpecial: Whether the reader has to do more with it than usual.
    ///   - element: What to put there.
    @inline(__always)
    func fill(_ number: Int64, isSpecial: Bool, with element: consuming Element) -> FillAnswer {
        let (segment, place) = unsafe (segment(of: number), Self.place(of: number))
        unsafe Self.element(segment, place).initialize(to: element)
        let state = unsafe Self.state(segment, place)
        switch unsafe state.pointee.exchange(isSpecial ? State.special : State.plain, ordering: .acquiringAndReleasing)
        {
        case State.asleep:
            return .filledForSleeper
        case State.shut:
            unsafe state.pointee.store(State.shut, ordering: .relaxed)
            return .refused
        default:
            return .filled
        }
    }

    /// Takes back what was refused.
    func takeBack(_ number: Int64) -> Element { unsafe element(at: number).move() }

    // MARK: The reader's side

    /// Whether the place of a number is filled, and plainly.
    func isPlain(at number: Int64) -> Bool { state(at: number) == State.plain }

    /// Whether the place of a number is filled.
    func isFilled(at number: Int64) -> Bool { State.isFilled(state(at: number)) }

    /// Where the element of a place is that is filled; it stays there until that is emptied.
    func element(at number: Int64) -> UnsafeMutablePointer<Element> {
        unsafe Self.element(segment(of: number), Self.place(of: number))
    }

    /// Ends the element of a place that is filled; all before it are empty.
    func empty(_ number: Int64) {
        beginReading()
        defer { endReading() }
        unsafe element(at: number).deinitialize(count: 1)
        markEmpty(number)
    }

    /// Takes the element of a place, if it is filled; all before it are empty.
    func take(_ number: Int64) -> Element? {
        beginReading()
        defer { endReading() }
        guard isFilled(at: number) else { return nil }
        defer { markEmpty(number) }
        return unsafe element(at: number).move()
    }

    /// Lets whoever fills a place wake the reader.
    ///
    /// - Returns: Whether the reader may sleep; if not, the place is filled.
    func sleep(at number: Int64) -> Bool {
        beginReading()
        defer { endReading() }
        let (segment, place) = unsafe (segment(of: number), Self.place(of: number))
        let (isAsleep, found) = unsafe Self.state(segment, place).pointee.compareExchange(
            expected: State.empty,
            desired: State.asleep,
            ordering: .acquiringAndReleasing
        )
        return isAsleep || found == State.asleep
    }

    /// Calls the reader although the place at which it may sleep is not filled.
    ///
    /// - Returns: Whether it sleeps, and has to be woken.
    func rouse(at number: Int64) -> Bool {
        guard let segment = unsafe installedSegment(of: number) else { return false }
        return unsafe Self.state(segment, Self.place(of: number)).pointee.compareExchange(
            expected: State.asleep,
            desired: State.empty,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Takes the element of a place that was given out, or refuses it.
    ///
    /// For all that are left, once no more numbers are given out. Segments stay where they are.
    func shut(_ number: Int64) -> Element? {
        let (segment, place) = unsafe (segment(of: number), Self.place(of: number))
        let found = unsafe Self.state(segment, place).pointee.exchange(State.shut, ordering: .acquiringAndReleasing)
        return State.isFilled(found) ? unsafe Self.element(segment, place).move() : nil
    }

    /// Asserts that there is one reader at a time; what shuts the places that are left may do so beside it.
    @inline(__always)
    private func beginReading() {
        assert(!isBeingRead.exchange(true, ordering: .acquiring), "two threads read the mailbox at a time")
    }

    @inline(__always)
    private func endReading() {
        assert(isBeingRead.exchange(false, ordering: .releasing), "nobody was reading the mailbox")
    }

    private func markEmpty(_ number: Int64) {
        let (segment, place) = unsafe (segment(of: number), Self.place(of: number))
        unsafe Self.state(segment, place).pointee.store(State.empty, ordering: .releasing)
        guard place == MailboxLimits.segment - 1 else { return }
        unsafe directory[index(of: number)].store(0, ordering: .releasing)
        unsafe keep(segment)
    }

    private func state(at number: Int64) -> UInt {
        guard let segment = unsafe installedSegment(of: number) else { return State.empty }
        return unsafe Self.state(segment, Self.place(of: number)).pointee.load(ordering: .acquiring)
    }
}

// MARK: - Segments

extension Mailbox {
    private func index(of number: Int64) -> Int {
        // What is cut off on systems where `Int` has 32 bits is no part of the mask.
        Int(truncatingIfNeeded: number / Int64(MailboxLimits.segment)) & mask
    }

    private static func place(of number: Int64) -> Int { Int(number % Int64(MailboxLimits.segment)) }

    private func installedSegment(of number: Int64) -> Segment? {
        unsafe Segment(bitPattern: directory[index(of: number)].load(ordering: .acquiring))
    }

    /// The segment of a number that is out; made if it is not there yet.
    private func segment(of number: Int64) -> Segment {
        unsafe installedSegment(of: number) ?? install(at: index(of: number))
    }

    private func install(at index: Int) -> Segment {
        let made = unsafe takeSpare() ?? Self.makeSegment()
        let (isInstalled, other) = unsafe directory[index].compareExchange(
            expected: 0,
            desired: UInt(bitPattern: made),
            ordering: .acquiringAndReleasing
        )
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

    /// Keeps a segment in which all is empty, for later use.
    private func keep(_ segment: Segment) {
        for index in 0..<MailboxLimits.spares where unsafe spares[index].load(ordering: .relaxed) == 0 {
            let kept = unsafe spares[index].compareExchange(
                expected: 0,
                desired: UInt(bitPattern: segment),
                ordering: .acquiringAndReleasing
            )
            if kept.exchanged { return }
        }
        unsafe Self.discard(segment)
    }

    private static func makeSegment() -> Segment {
        // Slots begin at cache lines, so that who fills one does not disturb who fills the next.
        let segment = Segment.allocate(byteCount: MailboxLimits.segment * stride, alignment: 64)
        for place in 0..<MailboxLimits.segment {
            unsafe (segment + place * stride).initializeMemory(as: Atomic<UInt>.self, to: Atomic(State.empty))
        }
        return unsafe segment
    }

    private static func discard(_ segment: Segment) {
        for place in 0..<MailboxLimits.segment { unsafe state(segment, place).deinitialize(count: 1) }
        unsafe segment.deallocate()
    }

    private static var offset: Int { max(MemoryLayout<Atomic<UInt>>.stride, MemoryLayout<Element>.alignment) }
    private static var stride: Int { (offset + MemoryLayout<Element>.size + 63) / 64 * 64 }

    private static func state(_ segment: Segment, _ place: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        unsafe (segment + place * stride).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    private static func element(_ segment: Segment, _ place: Int) -> UnsafeMutablePointer<Element> {
        unsafe (segment + place * stride + offset).assumingMemoryBound(to: Element.self)
    }
}

enum MailboxLimits {
    /// How many slots are made at a time.
    static let segment = 64
    /// How many segments are kept for later use, at most.
    static let spares = 16
    /// How many places may be out at a time, at most: beyond that the directory would take memory of its own.
    static let capacity = 1 << 26
}

/// What a slot's state can be.
private enum MailboxState {
    static let empty: UInt = 0
    static let asleep: UInt = 1
    static let shut: UInt = 2
    static let plain: UInt = 3
    static let special: UInt = 4

    static func isFilled(_ state: UInt) -> Bool { state >= plain }
}
