import Synchronization

/// Objects by type; the table is read without a lock and written under a lock.
///
/// The table grows by doubling. Old tables are kept because readers might still use them; together, they are no larger
/// than the newest table. This is a noncopyable value because an object would be retained for every call.
struct TypeTable<Entry: AnyObject & Sendable>: ~Copyable, Sendable {
    private struct State {
        /// All tables, newest last.
        var tables: [ProbeTable] = []
        /// The capacity of the newest table.
        var room = 2
        /// All entries, retained here; each larger table is filled from this list.
        var entries: [(key: UInt, entry: Entry)] = []
    }

    /// The newest table's address; 0 before the first entry.
    private let current = Atomic<UInt>(0)
    /// Created for the first entry, because many tables never have one.
    private let state = SetOnce<Locked<State>>()
    private let limit: Int

    /// Creates a table with a maximum number of entries.
    init(limit: Int = .max) { self.limit = limit }

    deinit {
        state.value?.withLock { state in for table in state.tables { table.deallocate() } }
    }

    /// The entry for a type, not retained; nil if the type has no entry.
    @inline(__always)
    subscript(type: Any.Type) -> Borrowed<Entry>? {
        guard let table = ProbeTable(at: current.load(ordering: .acquiring)) else { return nil }
        return unsafe Borrowed(at: table.find(UInt(bitPattern: ObjectIdentifier(type))))
    }

    /// All entries, in the order of their insertion.
    var entries: [Entry] { state.value?.withLock { $0.entries.map(\.entry) } ?? [] }

    /// Adds an entry for a type unless the type already has one, and returns the type's entry; nil if the table is full.
    func insert(_ entry: Entry, for type: Any.Type) -> Borrowed<Entry>? {
        let key = UInt(bitPattern: ObjectIdentifier(type))
        return (state.value ?? state.set(Locked(State())).object).withLock { state in
            if let known = self[type] { return known }
            if state.entries.count == limit { return nil }
            state.entries.append((key, entry))
            if let table = state.tables.last, state.entries.count <= state.room {
                table.insert(Borrowed(entry).address, for: key)
            } else {
                grow(&state)
            }
            return Borrowed(entry)
        }
    }

    private func grow(_ state: inout State) {
        state.room *= 2
        let table = ProbeTable(room: state.room)
        for (key, entry) in state.entries { table.insert(Borrowed(entry).address, for: key) }
        state.tables.append(table)
        current.store(table.address, ordering: .releasing)
    }
}
