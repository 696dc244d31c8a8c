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
        let observer: any ReportObserver
        /// The scope to observe, with the scopes below it; nil for all reports of the bus.
        let scope: ScopeContext?
    }

    private(set) var members: [Member] = []
    /// The bus's statistics at the end of all observations; nil before that.
    private var end: ErrorBus.Statistics?

    /// Adds an observer of a scope or, if the scope is nil, of the bus.
    ///
    /// If all observations have ended, the caller must finish the observer with the returned statistics instead.
    mutating func add(
        _ observer: any ReportObserver, of scope: ScopeContext?
    ) -> (end: ErrorBus.Statistics?, former: [Member]) {
        if let end { return (end, []) }
        return (nil, exchange(&members, with: members + [Member(observer: observer, scope: scope)]))
    }

    /// Removes an observer and returns the former members.
    mutating func remove(_ observer: any ReportObserver) -> [Member] {
        exchange(&members, with: members.filter { $0.observer !== observer })
    }

    /// Ends all observations; the caller must finish the returned members.
    mutating func finish(_ statistics: ErrorBus.Statistics) -> [Member] {
        end = end ?? statistics
        return exchange(&members, with: [])
    }
}
