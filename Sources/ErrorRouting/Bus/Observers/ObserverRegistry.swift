import Synchronization

/// A receiver of handled reports; only the worker passes it reports, one after another.
protocol ReportObserver: AnyObject, Sendable {
    /// Receives a report, unless the report isn't for this observer.
    func offer(_ report: ErrorReport)
    /// Wakes a waiting reader, because no more reports follow immediately.
    func wakeReader()
    /// Ends the observation, after which no more reports follow.
    func finish(_ statistics: ErrorBus.Statistics)
}

/// The observers of a bus and of its scopes.
final class ObserverRegistry: Sendable {
    struct Member {
        let id: UInt64
        let observer: any ReportObserver
        /// The scope to observe; nil for all reports of the bus.
        let scope: ScopeContext?
    }

    /// The members at one time, an immutable object that is published as a whole.
    ///
    /// A worker reads the object while observers join and leave. If observers changed an array's buffer that the worker
    /// has just released, the thread sanitizer would report a race, because it doesn't see the order that the reference
    /// count creates.
    final class Members: Sendable {
        let all: [Member]

        fileprivate init(_ all: [Member]) { self.all = all }
    }

    private struct State {
        /// The current members; nil if there are none.
        var members: Members?
        var lastID: UInt64 = 0
        /// The bus's statistics at its end; nil before the end.
        var end: ErrorBus.Statistics?
    }

    private let state = Locked(State())
    /// The address of the members, readable without the lock; 0 if there are none, as in most buses.
    private let current = Atomic<UInt>(0)

    /// Whether there are no observers.
    var isEmpty: Bool { current.load(ordering: .acquiring) == 0 }

    /// Adds an observer until its entry leaves; if the bus has ended, finishes the observer instead.
    ///
    /// It observes a scope and the scopes below it; if the scope is nil, it observes all reports of the bus.
    func add(_ observer: any ReportObserver, of scope: ScopeContext?) -> Entry {
        let (id, end, former) = state.withLock { state -> (UInt64, ErrorBus.Statistics?, Members?) in
            if let end = state.end { return (0, end, nil) }
            state.lastID += 1
            let member = Member(id: state.lastID, observer: observer, scope: scope)
            return (state.lastID, nil, replaceMembers(of: &state, by: (state.members?.all ?? []) + [member]))
        }
        withExtendedLifetime(former) {}
        if let end { observer.finish(end) }
        return Entry(id: id, registry: self)
    }

    /// The members; nil if there are none.
    var members: Members? { state.withLock { $0.members } }

    /// Returns whether the members that the caller retains are the current members.
    @inline(__always)
    func areCurrent(_ members: Members?) -> Bool {
        (members.map { Borrowed($0).address } ?? 0) == current.load(ordering: .acquiring)
    }

    /// Publishes new members and returns the former members; must be called under the lock.
    ///
    /// Release the former members after unlocking: an observer might hold reports, and errors must not be deallocated
    /// under the lock.
    private func replaceMembers(of state: inout State, by new: [Member]) -> Members? {
        let former = state.members
        state.members = new.isEmpty ? nil : Members(new)
        current.store(state.members.map { Borrowed($0).address } ?? 0, ordering: .releasing)
        return former
    }

    /// Finishes and removes all observers, and from now on finishes each new observer.
    func finish(_ statistics: ErrorBus.Statistics) {
        let former = state.withLock { state in
            state.end = state.end ?? statistics
            return replaceMembers(of: &state, by: [])
        }
        for member in former?.all ?? [] { member.observer.finish(statistics) }
    }

    /// The bus's statistics at its end; nil before the end.
    var end: ErrorBus.Statistics? { state.withLock { $0.end } }

    private func remove(_ id: UInt64) {
        let former = state.withLock { state -> Members? in
            guard let members = state.members?.all, members.contains(where: { $0.id == id }) else { return nil }
            return replaceMembers(of: &state, by: members.filter { $0.id != id })
        }
        withExtendedLifetime(former) {}
    }

    /// An observer's membership in the registry, which ends with ``leave()``.
    struct Entry {
        fileprivate let id: UInt64
        fileprivate let registry: ObserverRegistry

        /// The bus's statistics at its end; nil before the end.
        var end: ErrorBus.Statistics? { registry.end }

        /// Removes the observer from the registry; further calls have no effect.
        func leave() { registry.remove(id) }
    }
}
