import Synchronization

/// An observation that continues as long as this object is retained.
///
/// It ends when it is cancelled or deallocated, or when its bus ends. At that time, the `onEnd` of
/// ``ErrorBus/observe(_:onEnd:)`` is called, exactly once and after the last report.
public final class ErrorObservation: Sendable {
    private let observer: any ReportObserver
    private let bus: Weak<ErrorBus>

    /// Observes a bus or a scope; if the scope has no bus, or if the bus has ended, the observation ends immediately.
    init(_ observer: any ReportObserver, of poster: any ErrorPosting) {
        let (bus, scope) = poster.target
        (self.observer, self.bus) = (observer, Weak(bus))
        if let bus { bus.add(observer, of: scope?.context) } else { observer.finish(ErrorBus.Statistics()) }
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

/// An observer that calls a closure with each report, and another closure once after the last report.
///
/// The bus's worker passes one report after another. Any thread can end the observation at any time, even from within
/// the closure. If the closure is running at that time, the worker calls `onEnd` after the closure. So `onEnd` is never
/// called before the last report or during a call of the closure.
///
/// `@unchecked` because of the closures: the thread that moves the phase away from `idle` has exclusive access to them.
final class ReportReceiver: ReportObserver, @unchecked Sendable {
    private enum Phase {
        static let idle: UInt = 0
        static let receiving: UInt = 1
        /// The end was requested while the closure was running.
        static let ending: UInt = 2
        static let ended: UInt = 3
    }

    private let phase = Atomic(Phase.idle)
    /// The closures; nil at the end, which releases what they capture, possibly the observation itself.
    private var closures: (receive: @Sendable (ErrorReport) -> Void, onEnd: @Sendable (ErrorBus.Statistics) -> Void)?
    /// The bus's statistics at the time when the end was requested while the closure was running.
    private let statisticsAtEnd = Locked<ErrorBus.Statistics?>(nil)

    init(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (ErrorBus.Statistics) -> Void
    ) {
        closures = (receive, onEnd)
    }

    func offer(_ report: ErrorReport) {
        guard phase.replace(Phase.idle, by: Phase.receiving).isReplaced else { return }
        closures?.receive(report)
        if phase.replace(Phase.receiving, by: Phase.idle).isReplaced { return }
        phase.store(Phase.ended, ordering: .releasing)
        end(with: statisticsAtEnd.withLock { $0 } ?? ErrorBus.Statistics())
    }

    func wakeReader() {}

    func finish(_ statistics: ErrorBus.Statistics) {
        while true {
            if phase.replace(Phase.idle, by: Phase.ended).isReplaced { return end(with: statistics) }
            // Store the statistics first: the worker reads them when it finds the phase `ending`.
            statisticsAtEnd.withLock { $0 = $0 ?? statistics }
            // Retry only if the closure has just returned. In all other cases, the worker ends the observation, or
            // another thread has ended it.
            if phase.replace(Phase.receiving, by: Phase.ending).found != Phase.idle { return }
        }
    }

    private func end(with statistics: ErrorBus.Statistics) {
        let onEnd = closures.take()?.onEnd
        onEnd?(statistics)
    }
}
