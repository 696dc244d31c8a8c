import Synchronization

/// The plans by dynamic type: read without a lock, written under one.
///
/// A hash table that grows by doubling. A slot is published by its key, which is stored after the plan; a table is
/// published by the pointer to it. Old tables are kept for readers that still look into them, which the doubling bounds
/// to the size of the newest. A value that cannot be copied: as an object, it would be retained for every call.
struct PlanTable: ~Copyable, Sendable {
    /// Key and plan as addresses; 0 is none.
    private struct Slot: ~Copyable {
        let key = Atomic<UInt>(0)
        let plan = Atomic<UInt>(0)
    }

    private typealias Slots = UnsafeMutablePointer<Slot>

    private struct State {
        /// Addresses and sizes of all tables, the newest last.
        var tables: [(address: UInt, capacity: Int)] = []
        /// Holds the plans.
        var plans: [(key: UInt, plan: TypePlan)] = []
    }

    /// The newest table's address.
    ///
    /// Its first slot holds its mask as the key.
    private let current = Atomic<UInt>(0)
    private let state = Locked(State())

    deinit {
        state.withLock { state in
            for table in state.tables {
                guard let slots = unsafe Slots(bitPattern: table.address) else { continue }
                unsafe slots.deinitialize(count: table.capacity + 1)
                unsafe slots.deallocate()
            }
        }
    }

    /// The plan for a type, if there is one.
    func plan(for type: Any.Type) -> Unmanaged<TypePlan>? {
        unsafe find(UInt(bitPattern: ObjectIdentifier(type)))
    }

    /// Keeps a plan for a type, unless there is one already; returns the one that counts.
    func insert(_ plan: TypePlan, for type: Any.Type) -> Unmanaged<TypePlan> {
        unsafe insert(plan, for: UInt(bitPattern: ObjectIdentifier(type)))
    }

    private func find(_ key: UInt) -> Unmanaged<TypePlan>? {
        guard let header = unsafe Slots(bitPattern: current.load(ordering: .acquiring)) else { return nil }
        let mask = unsafe header.pointee.key.load(ordering: .relaxed)
        let slots = unsafe header + 1
        var index = Self.hash(key) & mask
        while true {
            let found = unsafe slots[Int(bitPattern: index)].key.load(ordering: .acquiring)
            if found == key { return unsafe Self.plan(slots[Int(bitPattern: index)].plan.load(ordering: .relaxed)) }
            if found == 0 { return nil }
            index = (index + 1) & mask
        }
    }

    private func insert(_ plan: TypePlan, for key: UInt) -> Unmanaged<TypePlan> {
        unsafe state.withLock { state in
            if let plan = unsafe find(key) { return unsafe plan }
            state.plans.append((key, plan))
            // At most half full, so that a search always meets an end.
            if state.plans.count * 2 > state.tables.last?.capacity ?? 0 {
                grow(&state)
            } else if let header = unsafe Slots(bitPattern: current.load(ordering: .relaxed)) {
                unsafe Self.publish(plan, for: key, in: header)
            }
            return unsafe Unmanaged.passUnretained(plan)
        }
    }

    private func grow(_ state: inout State) {
        let capacity = max((state.tables.last?.capacity ?? 0) * 2, 8)
        let header = Slots.allocate(capacity: capacity + 1)
        for index in 0...capacity { unsafe (header + index).initialize(to: Slot()) }
        unsafe header.pointee.key.store(UInt(capacity - 1), ordering: .relaxed)
        for entry in state.plans { unsafe Self.publish(entry.plan, for: entry.key, in: header) }
        state.tables.append((UInt(bitPattern: header), capacity))
        current.store(UInt(bitPattern: header), ordering: .releasing)
    }

    private static func publish(_ plan: TypePlan, for key: UInt, in header: Slots) {
        let mask = unsafe header.pointee.key.load(ordering: .relaxed)
        let slots = unsafe header + 1
        var index = hash(key) & mask
        while unsafe slots[Int(bitPattern: index)].key.load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(plan).toOpaque())
        unsafe slots[Int(bitPattern: index)].plan.store(address, ordering: .relaxed)
        unsafe slots[Int(bitPattern: index)].key.store(key, ordering: .releasing)
    }

    private static func plan(_ address: UInt) -> Unmanaged<TypePlan>? {
        unsafe UnsafeRawPointer(bitPattern: address).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Addresses of types are aligned, and often near each other: multiplied by the golden ratio they spread.
    private static func hash(_ key: UInt) -> UInt {
        UInt(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}
