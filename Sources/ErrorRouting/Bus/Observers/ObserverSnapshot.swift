/// A worker's observers: the registry's members at one time.
///
/// The worker retains them while one report follows another so that it needs no lock for each. It releases them when it
/// rests so that former observers aren't retained for long.
///
/// Unchecked because only one worker uses it. Former members are released after the change of the fields, because their
/// deinitializers might run user code.
final class ObserverSnapshot: @unchecked Sendable {
    private let registry: ObserverRegistry
    @exclusivity(unchecked) private var members: ObserverRegistry.Members?
    /// The number of reports sent since readers were last woken.
    @exclusivity(unchecked) private var countSinceWake = 0
    /// The number of reports after which readers are woken although the worker doesn't rest; otherwise the reader of
    /// rare reports could wait forever on a busy bus.
    private static let maxCountSinceWake = 64

    init(of registry: ObserverRegistry) { self.registry = registry }

    /// Whether there are no observers.
    @inline(__always)
    var isEmpty: Bool { registry.isEmpty }

    /// Sends a report to every observer of the bus, of the report's scope, and of the scopes around that.
    ///
    /// It is called without a lock because matchers and observers run user code.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - scope: The scope of the post; nil for the bus itself.
    func send(_ report: ErrorReport, of scope: ScopeContext?) {
        if unsafe !registry.areCurrent(members) { replaceMembers(by: registry.members) }
        for member in unsafe members?.all ?? [] {
            if let observed = member.scope, scope?.isWithin(observed) != true { continue }
            member.observer.offer(report)
        }
        unsafe countSinceWake += 1
        if unsafe countSinceWake >= Self.maxCountSinceWake { wakeReaders() }
    }

    /// Wakes the readers of streams if any report was sent since the last wake-up.
    ///
    /// The worker calls this before it rests for any reason, and not for each report, because waking a reader costs
    /// more than delivering a report.
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
