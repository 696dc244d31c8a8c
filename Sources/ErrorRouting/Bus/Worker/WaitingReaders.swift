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
