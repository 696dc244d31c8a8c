import Synchronization

/// A rule's description, one copy for each thread slot.
///
/// Every outcome names the rule that decided it. If all named one object, concurrent dispatches would change the same
/// reference count, and their throughput would not grow with the cores; so each thread names a copy of its own, made
/// when it is first needed.
struct RuleRegistration: ~Copyable, Sendable {
    private typealias Storage = RuleDescription.Storage

    private let original: Storage
    /// The address of the block of copies, one for each thread slot; 0 until one is needed.
    private let copies = Atomic<UInt>(0)

    init(shape: MatcherShape, source: ErrorReport.Source) {
        original = Storage(shape: shape, source: source)
    }

    deinit {
        guard let block = unsafe block(copies.load(ordering: .acquiring)) else { return }
        for slot in 0..<PerThread.count {
            let bits = unsafe block[slot].load(ordering: .acquiring)
            unsafe reference(bits)?.release()
        }
        unsafe block.deinitialize(count: PerThread.count)
        unsafe block.deallocate()
    }

    /// The original, for failures and explanations, which are rare.
    var description: RuleDescription { RuleDescription(original) }

    /// The calling thread's copy, for outcomes, of which every error has one.
    var threadsOwnDescription: RuleDescription {
        let block = unsafe block(copies.load(ordering: .acquiring)) ?? makeBlock()
        let place = unsafe block + PerThread.slot
        let bits = unsafe place.pointee.load(ordering: .acquiring)
        if let copy = unsafe reference(bits) { return unsafe RuleDescription(copy.takeUnretainedValue()) }
        return unsafe RuleDescription(makeCopy(at: place))
    }

    private typealias Block = UnsafeMutablePointer<Atomic<UInt>>

    private func block(_ bits: UInt) -> Block? { unsafe Block(bitPattern: bits) }

    private func reference(_ bits: UInt) -> Unmanaged<Storage>? {
        unsafe UnsafeRawPointer(bitPattern: bits).map { unsafe Unmanaged.fromOpaque($0) }
    }

    private func makeBlock() -> Block {
        let new = Block.allocate(capacity: PerThread.count)
        for slot in 0..<PerThread.count { unsafe (new + slot).initialize(to: Atomic(0)) }
        let (exchanged, bits) = copies.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: new),
            ordering: .acquiringAndReleasing
        )
        guard !exchanged, let other = unsafe block(bits) else { return unsafe new }
        unsafe new.deinitialize(count: PerThread.count)
        unsafe new.deallocate()
        return unsafe other
    }

    private func makeCopy(at place: Block) -> Storage {
        let copy = Storage(copying: original)
        let bits = UInt(bitPattern: unsafe Unmanaged.passRetained(copy).toOpaque())
        let (exchanged, other) = unsafe place.pointee.compareExchange(
            expected: 0,
            desired: bits,
            ordering: .acquiringAndReleasing
        )
        // A thread with the same slot was faster.
        guard !exchanged, let winner = unsafe reference(other) else { return copy }
        unsafe Unmanaged.passUnretained(copy).release()
        return unsafe winner.takeUnretainedValue()
    }
}
