import BoundedDescriptions
import Synchronization

/// The number of errors dropped since the last notice, by type.
///
/// Drops come in floods, so they are counted without a lock. A caller counts its drop first in its type's slot and then
/// in the total. A notice empties the slots and subtracts their counts from the total. So when all drops are counted,
/// the total is the number of unreported drops. The total changes from 0 to 1 exactly when a notice must be created,
/// and each drop is in exactly one notice.
///
/// Memory orders: a count is incremented with release and emptied by an exchange that acquires. Therefore the slot's
/// type, which is stored earlier, is visible. A type doesn't change, so a relaxed read suffices. Changes to the total
/// use both orders: the thread that creates the next notice comes after the thread that emptied the slots.
@safe struct DropTally: ~Copyable, @unchecked Sendable {
    // Don't make it private: Swift 6.3.1 crashes if it compiles another file that destroys a tally.
    struct Slot: ~Copyable {
        /// The type's address, or 0.
        let type = Atomic<UInt>(0)
        let count = Atomic<Int64>(0)
    }

    /// The number of types that are counted separately; drops of all other types are counted together.
    static let typeLimit = 64

    // `@unchecked` because of the array's memory: the slots are read and written atomically.
    /// A hash table by the type's address, with linear probing.
    private let slots: FixedArray<Slot>
    private let others = Atomic<Int64>(0)
    /// The number of drops that notices haven't reported.
    ///
    /// It is briefly negative if a slot is emptied before the caller has counted its drop here.
    private let total = Atomic<Int64>(0)

    init() {
        var slots = FixedArray<Slot>(capacity: Self.typeLimit)
        for _ in 0..<Self.typeLimit { slots.append(Slot()) }
        self.slots = slots
    }

    /// Counts a dropped error; returns whether the caller must announce a notice.
    func add(_ type: any Error.Type) -> Bool {
        count(type)
        return total.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0
    }

    /// The number of drops that notices haven't reported.
    var unreported: Int64 { total.load(ordering: .acquiring) }

    /// Moves the counted drops to a notice's counts by type; must be called under the bus's lock.
    ///
    /// Returns whether more errors were dropped during the call; another notice must include them.
    func take(into counts: inout [String: Int64]) -> Bool {
        var taken = others.exchange(0, ordering: .acquiringAndReleasing)
        if taken > 0 { counts[ErrorsDropped.otherTypes, default: 0] += taken }
        for index in 0..<Self.typeLimit {
            guard slots[index].count.load(ordering: .relaxed) != 0 else { continue }
            let dropped = slots[index].count.exchange(0, ordering: .acquiringAndReleasing)
            let address = slots[index].type.load(ordering: .relaxed)
            counts[TypeName.full(unsafe unsafeBitCast(address, to: Any.Type.self)), default: 0] += dropped
            taken += dropped
        }
        return total.wrappingSubtract(taken, ordering: .acquiringAndReleasing).newValue > 0
    }

    /// Returns the index of a type's preferred slot; if another type has that slot, the next free slot is used.
    static func firstSlot(for type: any Error.Type) -> Int {
        // Multiply by the golden ratio to spread the addresses: they are aligned and often near each other. Reduce the
        // product to the number of slots before converting it to `Int`, which is 32 bits wide on some systems.
        Int((UInt64(address(of: type)) &* 0x9E37_79B9_7F4A_7C15) >> 32 % UInt64(typeLimit))
    }

    private static func address(of type: any Error.Type) -> UInt { UInt(bitPattern: ObjectIdentifier(type)) }

    /// Counts a drop in the slot of its type.
    private func count(_ type: any Error.Type) {
        let (address, first) = (Self.address(of: type), Self.firstSlot(for: type))
        for step in 0..<Self.typeLimit {
            let index = (first + step) % Self.typeLimit
            var found = slots[index].type.load(ordering: .relaxed)
            if found == 0 {
                let (isMine, other) = slots[index].type.replace(0, by: address)
                found = isMine ? address : other
            }
            if found == address {
                slots[index].count.wrappingAdd(1, ordering: .releasing)
                return
            }
        }
        others.wrappingAdd(1, ordering: .releasing)
    }
}
