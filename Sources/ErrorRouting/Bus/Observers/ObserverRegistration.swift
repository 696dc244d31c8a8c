/// The registration of an observer at a bus, until the bus or ``end()`` ends it or this object is deallocated.
final class ObserverRegistration: Sendable {
    private let observer: any ReportObserver
    private let bus: Weak<ErrorBus>
    /// The observer's number in its bus; 0 if there is no bus.
    private let id: UInt64

    /// Registers an observer of a bus or one of its scopes.
    ///
    /// If there is no bus, or if the bus has ended, the observer is finished immediately.
    init(_ observer: any ReportObserver, of bus: ErrorBus?, in scope: ScopeContext?) {
        (self.observer, self.bus) = (observer, Weak(bus))
        let (id, end) = bus?.storage.addObserver(observer, of: scope) ?? (0, ErrorBus.Statistics())
        self.id = id
        if let end { observer.finish(end) }
    }

    deinit { end() }

    /// Removes and finishes the observer; further calls have no effect.
    func end() {
        // Leave the end to a bus that is being deallocated: it will soon finish its observers, and only it can read its
        // statistics.
        guard let bus = bus.object else { return }
        bus.storage.removeObserver(id)
        observer.finish(bus.statistics)
    }
}
