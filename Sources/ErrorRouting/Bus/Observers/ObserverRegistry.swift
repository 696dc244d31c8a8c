import Synchronization

/// A receiver of handled reports; the worker alone calls it, with one report after another.
protocol ReportObserver: AnyObject, Sendable {
    /// Receives a report, unless it is not for this observer.
    func offer(_ report: ErrorReport)
    /// Wakes a reader who waits, since no more reports follow for the moment.
    func wakeReader()
    /// Ends the observation: no more reports follow.
    func finish(_ statistics: ErrorBus.Statistics)
}

/// The observers of a bus and of its scopes.
final class ObserverRegistry: Sendable {
    struct Member {
        let id: UInt64
        let observer: any ReportObserver
        /// The scope whose reports the observer gets; nil for all reports of the bus.
        let scope: ScopeContext?
    }

    private struct State {
        var members: [Member] = []
        var lastID: UInt64 = 0
        /// The bus's statistics when it ended; nil before.
        var end: ErrorBus.Statistics?
    }

    private let state = Locked(State())
    /// The number of members, readable without the lock: most buses have no observers.
    private let count = Atomic<Int>(0)
    /// The number of changes of the members.
    private let changes = Atomic<Int>(0)

    /// Whether there are no observers.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Adds an observer, until its entry is deallocated; if the bus has ended, finishes the observer instead.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - scope: The scope whose reports it gets, with those of scopes below it; nil for all reports of the bus.
    /// - Returns: The observer's entry.
    func add(_ observer: any ReportObserver, of scope: ScopeContext?) -> Entry {
        let (id, end) = state.withLock { state -> (UInt64, ErrorBus.Statistics?) in
            if let end = state.end { return (0, end) }
            state.lastID += 1
            state.members.append(Member(id: state.lastID, observer: observer, scope: scope))
            noteChange(state)
            return (state.lastID, nil)
        }
        if let end { observer.finish(end) }
        return Entry(id: id, registry: self)
    }

    /// A number that grows with every change of the members.
    @inline(__always)
    var version: Int { changes.load(ordering: .acquiring) }

    var membersAndVersion: (members: [Member], version: Int) { state.withLock { ($0.members, version) } }

    /// Publishes a change of the members; called under the lock.
    private func noteChange(_ state: State) {
        count.store(state.members.count, ordering: .releasing)
        changes.wrappingAdd(1, ordering: .releasing)
    }

    /// Finishes and removes all observers, and from now on finishes each that is added.
    func finish(_ statistics: ErrorBus.Statistics) {
        let members = state.withLock { state in
            defer {
                state.members = []
                noteChange(state)
            }
            state.end = state.end ?? statistics
            return state.members
        }
        for member in members { member.observer.finish(statistics) }
    }

    /// The bus's statistics when it ended; nil before.
    var end: ErrorBus.Statistics? { state.withLock { $0.end } }

    private func remove(_ id: UInt64) {
        // The observer may hold reports, whose errors must not be deallocated under the lock.
        let removed = state.withLock { state -> Member? in
            guard let index = state.members.firstIndex(where: { $0.id == id }) else { return nil }
            defer { noteChange(state) }
            return state.members.remove(at: index)
        }
        withExtendedLifetime(removed) {}
    }

    /// An observer's membership in the registry; it ends with `leave`, at the latest when this is deallocated.
    final class Entry: Sendable {
        private let id: UInt64
        private let registry: ObserverRegistry

        fileprivate init(id: UInt64, registry: ObserverRegistry) {
            self.id = id
            self.registry = registry
        }

        deinit { leave() }

        /// The bus's statistics when it ended; nil before.
        var end: ErrorBus.Statistics? { registry.end }

        /// Removes the observer from the registry; a second call does nothing.
        func leave() { registry.remove(id) }
    }
}
