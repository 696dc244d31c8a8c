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

/// The observers of the latest report, whose waiting readers the worker hasn't woken since.
///
/// The worker wakes them before it rests for any reason. It doesn't wake them for each report, because waking a reader
/// costs more than delivering a report.
struct WaitingReaders {
    private var members: [ObserverList.Member] = []
    /// The number of reports sent since readers were last woken.
    private var reportCount = 0
    /// The number of reports after which readers are woken even if the worker doesn't rest.
    ///
    /// Without this limit, the reader of rare reports could wait forever on a busy bus.
    private static let maxReportCount = 64

    /// Sends a report to the observers of the bus, of the report's scope, and of the enclosing scopes.
    ///
    /// The scope is nil for a report to the bus itself. The method must be called without a lock, because matchers and
    /// observers run user code.
    mutating func send(_ report: ErrorReport, of scope: ScopeContext?, to observers: [ObserverList.Member]) {
        for member in observers {
            if let observed = member.scope, scope?.isWithin(observed) != true { continue }
            member.observer.offer(report)
        }
        members = observers
        reportCount += 1
        if reportCount >= Self.maxReportCount { wake() }
    }

    /// Wakes the readers of streams if any report was sent since they were last woken.
    mutating func wake() {
        reportCount = 0
        for member in exchange(&members, with: []) { member.observer.wakeReader() }
    }
}
