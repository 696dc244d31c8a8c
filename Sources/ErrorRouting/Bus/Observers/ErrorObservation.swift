/// An observation that goes on for as long as this is held.
///
/// It ends when this is cancelled or let go, or when its bus ends; then `onEnd` of
/// ``ErrorBus/observe(_:onEnd:)`` is called, exactly once and after the last report.
public final class ErrorObservation: Sendable {
    private let receiver: ReportReceiver
    private let entry: ObserverRegistry.Entry?
    private weak let bus: ErrorBus?

    /// Observes a bus, or a scope of it; where there is no bus it has ended already.
    init(_ receiver: ReportReceiver, of bus: ErrorBus?, in scope: ScopeContext? = nil) {
        self.receiver = receiver
        self.bus = bus
        entry = bus?.observers.add(receiver, of: scope)
        if bus == nil { receiver.finish(ErrorBus.Statistics()) }
    }

    deinit { cancel() }

    /// Ends the observation: no report is received that was not being received already.
    ///
    /// Does not wait. Called while a report is being received, on another thread or within, it lets `onEnd` be called
    /// right after that report; otherwise `onEnd` has been called when this returns. A second time does nothing.
    public func cancel() {
        entry?.leave()
        receiver.finish(bus?.statistics ?? entry?.end ?? ErrorBus.Statistics())
    }
}
