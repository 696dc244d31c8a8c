/// A receiver of handled reports; only the worker passes it reports, one after another.
protocol ReportObserver: AnyObject, Sendable {
    /// Receives a report, unless the report isn't for this observer.
    func offer(_ report: ErrorReport)
    /// Wakes a waiting reader, because no more reports follow immediately.
    func wakeReader()
    /// Ends the observation, after which no more reports follow.
    func finish(_ statistics: ErrorBus.Statistics)
}

/// The observers of a bus and of its scopes, which are part of the bus's state.
///
/// A change replaces the array of members, and the caller releases the former array after unlocking: an observer might
/// hold reports, and errors must not be deallocated under the lock.
struct ObserverList {
    struct Member: Sendable {
        let id: UInt64
        let observer: any ReportObserver
        /// The scope to observe, with the scopes below it; nil for all reports of the bus.
        let scope: ScopeContext?
    }

    private(set) var members: [Member] = []
    private var lastID: UInt64 = 0
    /// The bus's statistics at the end of all observations; nil before that.
    private var end: ErrorBus.Statistics?

    /// Adds an observer of a scope or, if the scope is nil, of the bus.
    ///
    /// If all observations have ended, the caller must finish the observer with the returned statistics instead.
    mutating func add(
        _ observer: any ReportObserver, of scope: ScopeContext?
    ) -> (id: UInt64, end: ErrorBus.Statistics?, former: [Member]) {
        lastID += 1
        if let end { return (lastID, end, []) }
        let member = Member(id: lastID, observer: observer, scope: scope)
        return (lastID, nil, exchange(&members, with: members + [member]))
    }

    /// Removes an observer and returns the former members.
    mutating func remove(_ id: UInt64) -> [Member] { exchange(&members, with: members.filter { $0.id != id }) }

    /// Ends all observations; the caller must finish the returned members.
    mutating func finish(_ statistics: ErrorBus.Statistics) -> [Member] {
        end = end ?? statistics
        return exchange(&members, with: [])
    }
}
