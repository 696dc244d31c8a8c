import Synchronization

/// What a rule was registered with, and its description, one copy for each thread slot.
///
/// Every outcome names the rule that decided it. If all named one object, concurrent dispatches would change the same
/// reference count, and their throughput would not grow with the cores; so each thread names a copy of its own, made
/// when it is first needed.
struct RuleRegistration: ~Copyable, Sendable {
    private typealias Storage = RuleDescription.Storage
    private typealias Place = UnsafeMutablePointer<Atomic<UInt>>

    let shape: MatcherShape
    let source: ErrorReport.Source
    /// The address of the original; 0 until it is needed.
    private let original = Atomic<UInt>(0)
    /// The address of the block of copies, one for each thread slot; 0 until a second outcome names the rule.
    private let copies = Atomic<UInt>(0)

    init(shape: MatcherShape, source: ErrorReport.Source) {
        self.shape = shape
        self.source = source
    }

    deinit {
        unsafe Self.reference(original.load(ordering: .acquiring))?.release()
        guard let block = unsafe Place(bitPattern: copies.load(ordering: .acquiring)) else { return }
        for slot in 0..<PerThread.count {
            unsafe Self.reference(block[slot].load(ordering: .acquiring))?.release()
        }
        unsafe block.deinitialize(count: PerThread.count)
        unsafe block.deallocate()
    }

    /// The original, for failures and explanations, which are rare.
    var description: RuleDescription { RuleDescription(madeOriginal().storage) }

    /// The calling thread's copy, for outcomes, of which every error has one.
    var threadsOwnDescription: RuleDescription {
        guard let block = unsafe Place(bitPattern: copies.load(ordering: .acquiring)) else { return firstDescription() }
        let place = unsafe block + PerThread.slot
        if let copy = unsafe Self.reference(place.pointee.load(ordering: .acquiring)) {
            return unsafe RuleDescription(copy.takeUnretainedValue())
        }
        return unsafe RuleDescription(Self.keep(Storage(copying: madeOriginal().storage), in: place.pointee).storage)
    }

    /// Returns the original for the first outcome, since most handlers that are made for a request have no second one;
    /// makes the block for the second.
    @inline(never)
    private func firstDescription() -> RuleDescription {
        let (storage, isNew) = madeOriginal()
        if isNew { return RuleDescription(storage) }
        let new = Place.allocate(capacity: PerThread.count)
        for slot in 0..<PerThread.count { unsafe (new + slot).initialize(to: Atomic(0)) }
        let isFirst = copies.compareExchange(
            expected: 0, desired: UInt(bitPattern: new), ordering: .acquiringAndReleasing
        ).exchanged
        if !isFirst {
            unsafe new.deinitialize(count: PerThread.count)
            unsafe new.deallocate()
        }
        return threadsOwnDescription
    }

    private func madeOriginal() -> (storage: Storage, isNew: Bool) {
        if let made = unsafe Self.reference(original.load(ordering: .acquiring)) {
            return unsafe (made.takeUnretainedValue(), false)
        }
        return Self.keep(Storage(shape: shape, source: source), in: original)
    }

    private static func reference(_ bits: UInt) -> Unmanaged<Storage>? {
        unsafe UnsafeRawPointer(bitPattern: bits).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Keeps an object in a word, and returns the one that is there: another thread may have been faster.
    private static func keep(_ new: Storage, in word: borrowing Atomic<UInt>) -> (storage: Storage, isNew: Bool) {
        let bits = UInt(bitPattern: unsafe Unmanaged.passRetained(new).toOpaque())
        let (isNew, other) = word.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing)
        guard !isNew, let winner = unsafe reference(other) else { return (new, true) }
        unsafe Unmanaged.passUnretained(new).release()
        return unsafe (winner.takeUnretainedValue(), false)
    }
}
