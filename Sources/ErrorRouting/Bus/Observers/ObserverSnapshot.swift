/// The observers that a worker sends reports to: the registry's members at one time.
///
/// The worker retains them while one report follows another, so that it need not lock for each. It releases them when it
/// rests, so that observers which have left are not retained for long.
///
/// Unchecked, since only one worker uses it. Former members are released after the change of the fields: their
/// deinitializers may run the user's code.
final class ObserverSnapshot: @unchecked Sendable {
    private let registry: ObserverRegistry
    @exclusivity(unchecked) private var members: ObserverRegistry.Members?
    /// The number of reports sent since readers were last woken.
    @exclusivity(unchecked) private var countSinceWake = 0
    /// The number of reports after which readers are woken although the worker does not rest: otherwise the reader of
    /// rare reports could wait for ever on a busy bus.
    private static let maxCountSinceWake = 64

    init(of registry: ObserverRegistry) { self.registry = registry }

    /// Whether there are no observers.
    @inline(__always)
    var isEmpty: Bool { registry.isEmpty }

    /// Offers a report to every observer of the bus, of its scope, and of the scopes around that.
    ///
    /// Called without a lock, since matchers and observers run the user's code.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - scope: The scope in which the report was posted; nil for the bus itself.
    func send(_ report: ErrorReport, of scope: ScopeContext?) {
        if unsafe !registry.areCurrent(members) { replaceMembers(by: registry.members) }
        for member in unsafe members?.all ?? [] {
            if let observed = member.scope, scope?.isWithin(observed) != true { continue }
            member.observer.offer(report)
        }
        unsafe countSinceWake += 1
        if unsafe countSinceWake >= Self.maxCountSinceWake { wakeReaders() }
    }

    /// Wakes the readers of streams if any report was sent since the last time.
    ///
    /// The worker calls this before it rests, for whatever reason, and not for each report: waking a reader costs more
    /// than delivering a report.
    func wakeReaders() {
        guard unsafe countSinceWake > 0 else { return }
        unsafe countSinceWake = 0
        for member in unsafe members?.all ?? [] { member.observer.wakeReader() }
        replaceMembers(by: nil)
    }

    private func replaceMembers(by new: ObserverRegistry.Members?) {
        let former = unsafe members
        unsafe members = new
        withExtendedLifetime(former) {}
    }
}
