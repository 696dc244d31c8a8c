/// A worker's observers: the registry's members at one time.
///
/// The worker retains the members while one report follows another, so that it needn't lock for each report. It
/// releases them when it rests, so that former observers aren't retained for long.
///
/// `@unchecked` because only one worker uses the snapshot. Former members are released after the fields have changed,
/// because the members' deinitializers might run user code.
final class ObserverSnapshot: @unchecked Sendable {
    private let registry: ObserverRegistry
    @exclusivity(unchecked) private var members: ObserverRegistry.Members?
    /// The number of reports sent since readers were last woken.
    @exclusivity(unchecked) private var countSinceWake = 0
    /// The number of reports after which readers are woken even if the worker doesn't rest.
    ///
    /// Without this limit, the reader of rare reports could wait forever on a busy bus.
    private static let maxCountSinceWake = 64

    init(of registry: ObserverRegistry) { self.registry = registry }

    /// Whether there are no observers.
    @inline(__always)
    var isEmpty: Bool { registry.isEmpty }

    /// Sends a report to every observer of the bus, of the report's scope, and of the enclosing scopes.
    ///
    /// The scope is nil for a report to the bus itself. The method must be called without a lock, because matchers and
    /// observers run user code.
    func send(_ report: ErrorReport, of scope: ScopeContext?) {
        if unsafe !registry.areCurrent(members) { replaceMembers(by: registry.members) }
        for member in unsafe members?.all ?? [] {
            if let observed = member.scope, scope?.isWithin(observed) != true { continue }
            member.observer.offer(report)
        }
        unsafe countSinceWake += 1
        if unsafe countSinceWake >= Self.maxCountSinceWake { wakeReaders() }
    }

    /// Wakes the readers of streams if any report was sent since they were last woken.
    ///
    /// The worker calls this method before it rests for any reason. It doesn't call it for each report, because waking
    /// a reader costs more than delivering a report.
    func wakeReaders() {
        guard unsafe countSinceWake > 0 else { return }
        unsafe countSinceWake = 0
        for member in unsafe members?.all ?? [] { member.observer.wakeReader() }
        replaceMembers(by: nil)
    }

    private func replaceMembers(by new: ObserverRegistry.Members?) {
        let former = unsafe exchange(&members, with: new)
        withExtendedLifetime(former) {}
    }
}
