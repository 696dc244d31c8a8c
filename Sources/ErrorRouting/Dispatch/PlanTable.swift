import Synchronization

/// The plans by dynamic type, read without a lock and written under one.
///
/// Grows by doubling. Old tables are kept, since readers may still use them; together they are no larger than the
/// newest. A noncopyable value rather than an object, which would be retained for every call.
struct PlanTable: ~Copyable, Sendable {
    private struct State {
        /// All tables, the newest last.
        var tables: [ProbeTable] = []
        /// How many plans the newest table has room for.
        var room = 2
        /// All plans, retained here; larger tables are filled from these.
        var plans: [(key: UInt, plan: TypePlan)] = []
    }

    /// The newest table's address; 0 before the first plan.
    private let current = Atomic<UInt>(0)
    /// Made for the first plan, since a block that is read linearly has none.
    private let state = SetOnce<Locked<State>>()

    deinit {
        state.value?.withLock { state in for table in state.tables { table.deallocate() } }
    }

    /// The plan for a type, if there is one.
    @inline(__always)
    subscript(type: Any.Type) -> Borrowed<TypePlan>? {
        guard let table = ProbeTable(at: current.load(ordering: .acquiring)) else { return nil }
        return unsafe Borrowed(at: table.find(UInt(bitPattern: ObjectIdentifier(type))))
    }

    /// Adds a plan for a type unless there is one already, and returns the one in the table.
    func insert(_ plan: TypePlan, for type: Any.Type) -> Borrowed<TypePlan> {
        let key = UInt(bitPattern: ObjectIdentifier(type))
        return (state.value ?? state.set(Locked(State())).object).withLock { state in
            if let plan = self[type] { return plan }
            state.plans.append((key, plan))
            if let table = state.tables.last, state.plans.count <= state.room {
                table.insert(Borrowed(plan).address, for: key)
            } else {
                grow(&state)
            }
            return Borrowed(plan)
        }
    }

    private func grow(_ state: inout State) {
        state.room *= 2
        let table = ProbeTable(room: state.room)
        for entry in state.plans { table.insert(Borrowed(entry.plan).address, for: entry.key) }
        state.tables.append(table)
        current.store(table.address, ordering: .releasing)
    }
}
