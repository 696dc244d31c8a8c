import Synchronization

/// A closure that gets every report, and one that is called once, when there are no more.
///
/// The bus's worker offers one report after the other; anyone may end it, at any moment, also from within the closure.
/// Whoever finds the closure at work leaves the end to the worker, so that the end comes after the last report, and
/// never beside it.
///
/// Unchecked for the closures: whoever has brought the phase from `idle` to another has them alone.
final class ReportReceiver: ReportObserver, @unchecked Sendable {
    private struct Closures {
        let receive: @Sendable (ErrorReport) -> Void
        let onEnd: @Sendable (ErrorBus.Statistics) -> Void
    }

    private enum Phase {
        static let idle = 0
        static let receiving = 1
        /// The end was asked for while the closure was at work.
        static let ending = 2
        static let ended = 3
    }

    private let phase = Atomic(Phase.idle)
    /// Let go of at the end, with all that they hold, the observation perhaps.
    private var closures: Closures?
    /// What the bus had counted when the end was asked for while the closure was at work.
    private let end = Locked<ErrorBus.Statistics?>(nil)

    init(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (ErrorBus.Statistics) -> Void
    ) {
        closures = Closures(receive: receive, onEnd: onEnd)
    }

    func offer(_ report: ErrorReport) {
        guard replace(Phase.idle, by: Phase.receiving) else { return }
        closures?.receive(report)
        if replace(Phase.receiving, by: Phase.idle) { return }
        phase.store(Phase.ended, ordering: .releasing)
        letGo(end.withLock { $0 } ?? ErrorBus.Statistics())
    }

    func wakeReader() {}

    func finish(_ statistics: ErrorBus.Statistics) {
        while true {
            if replace(Phase.idle, by: Phase.ended) { return letGo(statistics) }
            // Noted first: whoever is at work looks there once it is told.
            end.withLock { $0 = $0 ?? statistics }
            if replace(Phase.receiving, by: Phase.ending) { return }
            if phase.load(ordering: .acquiring) >= Phase.ending { return }
        }
    }

    private func letGo(_ statistics: ErrorBus.Statistics) {
        let onEnd = closures.take()?.onEnd
        onEnd?(statistics)
    }

    private func replace(_ expected: Int, by desired: Int) -> Bool {
        phase.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }
}
