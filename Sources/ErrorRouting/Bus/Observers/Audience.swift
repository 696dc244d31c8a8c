/// Those whom a worker tells of reports: the members of a registry, as of a version of it.
///
/// Kept while one report follows the other, so that the worker need not lock for each, and let go of when it rests, so
/// that who has left is not held for long.
///
/// Unchecked, since one worker has it alone; and nobody is let go of while it is being changed, since that may run code
/// of the user's.
final class Audience: @unchecked Sendable {
    private let registry: ObserverRegistry
    @exclusivity(unchecked) private var members: [ObserverRegistry.Member] = []
    /// The registry's when it was asked; no version where nobody is kept.
    @exclusivity(unchecked) private var version = -1
    /// How many reports were sent since readers were woken, to whomever.
    @exclusivity(unchecked) private var news = 0
    /// How many may be: where the bus is never at rest, a reader whose reports are rare is not to wait for that.
    private static let mostNews = 64

    init(of registry: ObserverRegistry) { self.registry = registry }

    /// Whether there is none.
    @inline(__always)
    var isEmpty: Bool { registry.isEmpty }

    /// Hands a report to every observer whose it is.
    ///
    /// Under no lock: matchers and observers run code of the user's.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - scope: The scope in which it was posted.
    func send(_ report: ErrorReport, of scope: ScopeContext?) {
        if unsafe version != registry.version { keep(registry.membersAndVersion) }
        for member in unsafe members where member.scope == nil || member.concerns(scope) {
            member.observer.offer(report)
        }
        unsafe news += 1
        if unsafe news >= Self.mostNews { wakeReaders() }
    }

    /// Lets readers have what was sent since the last time: once for many reports, since to wake one costs more than to
    /// deliver a report.
    ///
    /// The worker does so before it rests, for whatever reason.
    func wakeReaders() {
        guard unsafe news > 0 else { return }
        unsafe news = 0
        for member in unsafe members { member.observer.wakeReader() }
        keep(([], -1))
    }

    private func keep(_ new: (members: [ObserverRegistry.Member], version: Int)) {
        let former = unsafe members
        unsafe (members, version) = new
        withExtendedLifetime(former) {}
    }
}
