import Synchronization

/// How many errors were dropped since the last notice, by type; counted without a lock, since drops come in storms.
///
/// A dropper first counts in its type's slot, then in the total. The notice empties the slots, and takes as much from
/// the total as it found. So the total, once all is counted, is what no notice has told of; it passes from 0 to 1
/// exactly when a notice has to be made; and each drop is in exactly one notice.
struct DropTally: ~Copyable, Sendable {
    struct Slot: ~Copyable {
        /// The type's address; 0 is none.
        let type = Atomic<UInt>(0)
        let count = Atomic<Int64>(0)
    }

    /// How many types are told apart; what is dropped of others is counted together.
    static let typeLimit = 64

    private let slots: Slots
    private let others = Atomic<Int64>(0)
    /// Drops that no notice has told of; for moments less than 0, where a slot was emptied before the total was told.
    private let total = Atomic<Int64>(0)

    init() {
        slots = Slots()
    }

    /// Counts a dropped error.
    ///
    /// - Returns: Whether a notice has to be made.
    func add(_ type: any Error.Type) -> Bool {
        slots.add(UInt(bitPattern: ObjectIdentifier(type)), elseIn: others)
        return total.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0
    }

    /// What no notice has told of.
    var untold: Int64 { total.load(ordering: .acquiring) }

    /// Takes what was counted into a notice.
    ///
    /// - Returns: What the notice tells, and whether another one has to be made, since more was dropped meanwhile.
    func take() -> (counts: DropCounts, isMoreUntold: Bool) {
        var counts = DropCounts()
        slots.empty { type, dropped in
            counts.add(dropped, of: ErrorText.typeName(type))
        }
        let other = others.exchange(0, ordering: .acquiringAndReleasing)
        if other > 0 { counts.add(other, of: ErrorsDropped.otherTypes) }
        let rest = total.wrappingSubtract(counts.total, ordering: .acquiringAndReleasing).newValue
        return (counts, rest > 0)
    }

    /// The slots: a table that is searched from the place that an address hashes to.
    @safe struct Slots: ~Copyable, @unchecked Sendable {
        // Unchecked for the address: what is there is read and written atomically.
        private let first: UnsafeMutablePointer<Slot>

        init() {
            unsafe first = .allocate(capacity: typeLimit)
            for index in 0..<typeLimit { unsafe (first + index).initialize(to: Slot()) }
        }

        deinit {
            unsafe first.deinitialize(count: typeLimit)
            unsafe first.deallocate()
        }

        func add(_ type: UInt, elseIn others: borrowing Atomic<Int64>) {
            // Addresses of types are aligned, and often near each other: multiplied by the golden ratio they spread.
            // Cut down to the number of slots before it becomes an `Int`, which has 32 bits on some systems.
            let hash = Int((UInt64(type) &* 0x9E37_79B9_7F4A_7C15) >> 32 % UInt64(typeLimit))
            for step in 0..<typeLimit {
                let slot = unsafe first + (hash + step) % typeLimit
                var found = unsafe slot.pointee.type.load(ordering: .relaxed)
                if found == 0 {
                    let (isMine, other) = unsafe slot.pointee.type.compareExchange(
                        expected: 0, desired: type, ordering: .relaxed)
                    found = isMine ? type : other
                }
                if found == type {
                    unsafe slot.pointee.count.wrappingAdd(1, ordering: .releasing)
                    return
                }
            }
            others.wrappingAdd(1, ordering: .releasing)
        }

        func empty(_ body: (any Any.Type, Int64) -> Void) {
            for index in 0..<typeLimit {
                let slot = unsafe first + index
                guard unsafe slot.pointee.count.load(ordering: .relaxed) != 0 else { continue }
                let count = unsafe slot.pointee.count.exchange(0, ordering: .acquiringAndReleasing)
                let address = unsafe slot.pointee.type.load(ordering: .relaxed)
                body(unsafe unsafeBitCast(address, to: Any.Type.self), count)
            }
        }
    }
}

/// How many errors were dropped, in all and by type.
///
/// While nothing is delivered, drops go on for as long as the program does; what the client gets of them has `Int`s,
/// which have 32 bits on some systems.
struct DropCounts {
    private(set) var total: Int64 = 0
    private var byType: [String: Int64] = [:]

    mutating func add(_ count: Int64, of type: String) {
        byType[type, default: 0] += count
        total += count
    }

    mutating func add(_ others: DropCounts) {
        for (type, count) in others.byType { add(count, of: type) }
    }

    /// What the client is told.
    var notice: ErrorsDropped {
        ErrorsDropped(count: Int(clamping: total), byType: byType.mapValues { Int(clamping: $0) })
    }
}
