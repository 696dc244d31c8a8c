import Synchronization

/// A lock-free list of places, which are claimed and read by atomic operations.
///
/// It consists of blocks of places, each with the address of the next block. Blocks are allocated as needed, and never
/// deallocated.
///
/// Unchecked because of the addresses: the memory there is read and written atomically.
@safe final class PlacesAtExit: @unchecked Sendable {
    typealias Place = UnsafeMutablePointer<Atomic<UInt>>

    /// The value of a free place.
    static let free: UInt = 0
    /// The value of a place that is claimed and not yet used.
    static let reserved: UInt = 2

    private static let count = 64
    private let first: Place

    init() { unsafe first = Self.makeBlock() }

    /// Claims a free place and returns it.
    func reserve() -> Place {
        var block = unsafe first
        while true {
            for index in 0..<Self.count where unsafe block[index].load(ordering: .relaxed) == Self.free {
                let claim = unsafe block[index].compareExchange(
                    expected: Self.free,
                    desired: Self.reserved,
                    ordering: .acquiringAndReleasing
                )
                if claim.exchanged { return unsafe block + index }
            }
            unsafe block = next(of: block)
        }
    }

    /// Calls a closure with every place, free ones included.
    func forEach(_ body: (Place) -> Void) {
        var block: Place? = unsafe first
        while let current = unsafe block {
            for index in 0..<Self.count { unsafe body(current + index) }
            unsafe block = Place(bitPattern: current[Self.count].load(ordering: .acquiring))
        }
    }

    /// Returns the block after a block, allocating one if there is none.
    private func next(of block: Place) -> Place {
        let link = unsafe block + Self.count
        if let next = unsafe Place(bitPattern: link.pointee.load(ordering: .acquiring)) { return unsafe next }
        let made = unsafe Self.makeBlock()
        let (isMine, other) = unsafe link.pointee.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: made),
            ordering: .acquiringAndReleasing
        )
        guard !isMine, let winner = unsafe Place(bitPattern: other) else { return unsafe made }
        unsafe made.deinitialize(count: Self.count + 1)
        unsafe made.deallocate()
        return unsafe winner
    }

    /// Allocates a block of places, followed by the address of the next block, which is 0 at first.
    private static func makeBlock() -> Place {
        let block = Place.allocate(capacity: count + 1)
        for index in 0...count { unsafe (block + index).initialize(to: Atomic(free)) }
        return unsafe block
    }
}
