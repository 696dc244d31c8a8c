/// An observation that continues as long as this object is retained.
///
/// It ends when it is cancelled or deallocated, or when its bus ends. At that time, the `onEnd` of
/// ``ErrorBus/observe(_:onEnd:)`` is called, exactly once and after the last report.
public final class ErrorObservation: Sendable {
    private let observer: ReportObserver
    private let bus: Weak<ErrorBus>

    /// Adds an observer to a bus; if there is no bus, or if the bus has ended, the observation ends immediately.
    init(_ observer: ReportObserver, of bus: ErrorBus?) {
        (self.observer, self.bus) = (observer, Weak(bus))
        if let bus { bus.add(observer) } else { observer.finish(ErrorBus.Statistics()) }
    }

    deinit { cancel() }

    /// Ends the observation, so that the closure receives no further reports.
    ///
    /// This call doesn't wait. If the closure is receiving a report, on another thread or in the caller itself, `onEnd`
    /// is called right after that report. If another thread is deallocating the bus or ending the observation, that
    /// thread calls `onEnd`. Otherwise, `onEnd` has been called when this method returns. Further calls have no effect.
    public func cancel() {
        // Leave the end to a bus that is being deallocated: it will soon finish its observers, and only it can read its
        // statistics.
        bus.object?.remove(observer)
    }
}
