import Synchronization

/// Whoever is told of handled reports; by the worker alone, one report after the other.
protocol ReportObserver: AnyObject, Sendable {
    func offer(_ report: ErrorReport)
    /// No more reports come for the moment: whoever waits for one can be woken.
    func wakeReader()
    /// No more reports come.
    func finish(_ statistics: ErrorBus.Statistics)
}

/// The observers of a bus, and of its scopes.
final class ObserverRegistry: Sendable {
    struct Member {
        let id: UInt64
        let observer: any ReportObserver
        /// The scope whose reports it gets; nil for all of the bus.
        let scope: ScopeContext?

        /// Whether it gets the reports of a scope; nil is the bus itself.
        @inline(never)
        func concerns(_ posted: ScopeContext?) -> Bool {
            guard let scope else { return true }
            return posted?.isWithin(scope) ?? false
        }
    }

    private struct State {
        var members: [Member] = []
        var lastID: UInt64 = 0
        /// What the bus had counted when it ended.
        var end: ErrorBus.Statistics?
    }

    private let state = Locked(State())
    /// How many there are, readable without the lock: nobody observes most buses.
    private let count = Atomic<Int>(0)
    /// How often that has changed.
    private let changes = Atomic<Int>(0)

    /// Whether there is none.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Adds an observer, until its entry is let go.
    ///
    /// - Parameters:
    ///   - observer: Whom to tell.
    ///   - scope: The scope whose reports it gets, with those of scopes below it; nil for all of the bus.
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

    /// Raised with every change of the members.
    @inline(__always)
    var version: Int { changes.load(ordering: .acquiring) }

    var membersAndVersion: (members: [Member], version: Int) { state.withLock { ($0.members, version) } }

    /// Under the lock.
    private func noteChange(_ state: State) {
        count.store(state.members.count, ordering: .releasing)
        changes.wrappingAdd(1, ordering: .releasing)
    }

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

    /// What the bus had counted when it ended; nil before.
    var end: ErrorBus.Statistics? { state.withLock { $0.end } }

    private func remove(_ id: UInt64) {
        // What is let go holds reports, and must not end under the lock.
        let removed = state.withLock { state -> Member? in
            guard let index = state.members.firstIndex(where: { $0.id == id }) else { return nil }
            defer { noteChange(state) }
            return state.members.remove(at: index)
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

        /// What the bus had counted when it ended; nil before.
        var end: ErrorBus.Statistics? { registry.end }

        /// Leaves the registry; a second time does nothing.
        func leave() { registry.remove(id) }
    }
}
