import Synchronization

/// The process's root buses; the newest root is in effect, and callers read it without a lock.
enum ProcessRoot {
    /// An entry for each time a bus became a root; it is kept forever, because a caller might still be reading it.
    private final class Entry: Sendable {
        let number: UInt64
        let bus: Weak<ErrorBus>

        init(_ bus: ErrorBus) { (number, self.bus) = (bus.number, Weak(bus)) }
    }

    private struct State {
        /// The newest root, retained because a program might not keep another reference to it.
        var newest: ErrorBus?
        /// The roots in the order in which they became roots.
        var roots: [Entry] = []
        /// All entries ever created.
        var entries: [Entry] = []
    }

    private static let state = Locked(State())
    /// The address of the newest root's entry; 0 if there is no root.
    private static let current = Atomic<UInt>(0)

    /// The newest root; nil if there is none.
    static var bus: ErrorBus? {
        unsafe Borrowed<Entry>(at: current.load(ordering: .acquiring))?.read { $0.bus.object }
    }

    /// Makes a bus the newest root, unless it already is a root.
    static func add(_ bus: ErrorBus) {
        change { state in
            if state.roots.contains(where: { $0.number == bus.number }) { return }
            let entry = Entry(bus)
            state.entries.append(entry)
            state.roots.append(entry)
        }
    }

    /// Removes a bus from the roots; the newest other root that is still running takes over.
    static func remove(_ bus: ErrorBus) { change { state in state.roots.removeAll { $0.number == bus.number } } }

    /// Changes the list of roots and publishes the newest root that is still running.
    private static func change(_ event: (inout State) -> Void) {
        // Release the buses after unlocking: a bus's deinitializer runs user code.
        var seen: [ErrorBus] = []
        defer { withExtendedLifetime(seen) {} }
        state.withLock { state in
            event(&state)
            if let newest = state.newest.take() { seen.append(newest) }
            // Drop the newest roots that have ended or were deallocated, until one is still running.
            while let entry = state.roots.last, state.newest == nil {
                if let bus = entry.bus.object {
                    seen.append(bus)
                    if !bus.storage.hasEnded { state.newest = bus }
                }
                if state.newest == nil { state.roots.removeLast() }
            }
            current.store(state.roots.last.map { Borrowed($0).address } ?? 0, ordering: .releasing)
        }
    }
}
