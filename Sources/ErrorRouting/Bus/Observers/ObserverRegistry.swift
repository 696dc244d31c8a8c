import Synchronization

/// The observers of a bus.
final class ObserverRegistry: Sendable {
    private struct State {
        var observers: [(id: UInt64, observer: any ReportObserver)] = []
        var lastID: UInt64 = 0
        var isFinished = false
    }

    private let state = Locked(State())
    /// How many there are, readable without the lock: nobody observes most buses.
    private let count = Atomic<Int>(0)

    /// Whether there is none.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Adds an observer, until its entry is let go.
    func add(_ observer: any ReportObserver) -> Entry {
        let id = state.withLock { state -> UInt64? in
            if state.isFinished { return nil }
            state.lastID += 1
            state.observers.append((state.lastID, observer))
            count.store(state.observers.count, ordering: .releasing)
            return state.lastID
        }
        if id == nil { observer.finish() }
        return Entry(id: id ?? 0, registry: self)
    }

    /// Hands a report to every observer.
    ///
    /// Outside the lock: matchers run code of the user's.
    func send(_ report: ErrorReport) {
        for (_, observer) in state.withLock({ $0.observers }) { observer.offer(report) }
    }

    func finish() {
        let observers = state.withLock { state in
            defer { state.observers = [] }
            state.isFinished = true
            count.store(0, ordering: .releasing)
            return state.observers
        }
        for (_, observer) in observers { observer.finish() }
    }

    private func remove(_ id: UInt64) {
        // What is let go holds reports, and must not end under the lock.
        let removed = state.withLock { state -> (any ReportObserver)? in
            guard let index = state.observers.firstIndex(where: { $0.id == id }) else { return nil }
            defer { count.store(state.observers.count, ordering: .releasing) }
            return state.observers.remove(at: index).observer
        }
        withExtendedLifetime(removed) {}
    }

    /// An observer's place in the registry, which it leaves at the latest when this is let go.
    final class Entry: Sendable {
        private let id: UInt64
        private let registry: ObserverRegistry

        fileprivate init(id: UInt64, registry: ObserverRegistry) {
            self.id = id
            self.registry = registry
        }

        deinit { leave() }

        /// Leaves the registry; a second time does nothing.
        func leave() { registry.remove(id) }
    }
}
