import Synchronization

/// The plans by type: read without a lock, written under one.
///
/// It grows by doubling. Old tables are kept for readers that still look into them, which the doubling bounds to the
/// size of the newest. A value that cannot be copied: as an object, it would be retained for every call.
struct PlanTable: ~Copyable, Sendable {
    private struct State {
        /// All tables, the newest last.
        var tables: [ProbeTable] = []
        /// How many plans the newest has room for.
        var room = 2
        /// Holds the plans.
        var plans: [(key: UInt, plan: TypePlan)] = []
    }

    /// The newest table's address.
    private let current = Atomic<UInt>(0)
    private let state = Locked(State())

    deinit {
        state.withLock { state in
            for table in state.tables { table.deallocate() }
        }
    }

    /// The plan for a type, if there is one.
    @inline(__always)
    subscript(type: Any.Type) -> Unmanaged<TypePlan>? { unsafe find(UInt(bitPattern: ObjectIdentifier(type))) }

    @inline(__always)
    private func find(_ key: UInt) -> Unmanaged<TypePlan>? {
        guard let table = ProbeTable(at: current.load(ordering: .acquiring)) else { return nil }
        return unsafe UnsafeRawPointer(bitPattern: table.find(key)).map { unsafe Unmanaged.fromOpaque($0) }
    }

    /// Keeps a plan for a type, unless there is one already; returns the one that counts.
    func insert(_ plan: TypePlan, for type: Any.Type) -> Unmanaged<TypePlan> {
        let key = UInt(bitPattern: ObjectIdentifier(type))
        return unsafe state.withLock { state in
            if let plan = unsafe find(key) { return unsafe plan }
            state.plans.append((key, plan))
            if let table = state.tables.last, state.plans.count <= state.room {
                Self.insert(plan, for: key, into: table)
            } else {
                grow(&state)
            }
            return unsafe Unmanaged.passUnretained(plan)
        }
    }

    private func grow(_ state: inout State) {
        state.room *= 2
        let table = ProbeTable(room: state.room)
        for entry in state.plans { Self.insert(entry.plan, for: entry.key, into: table) }
        state.tables.append(table)
        current.store(table.address, ordering: .releasing)
    }

    private static func insert(_ plan: TypePlan, for key: UInt, into table: ProbeTable) {
        table.insert(unsafe UInt(bitPattern: Unmanaged.passUnretained(plan).toOpaque()), for: key)
    }
}
