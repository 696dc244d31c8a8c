import Synchronization

/// A closure that gets every report, and one that is called once, when there are no more.
///
/// The bus's worker offers one report after the other; anyone may end it, at any moment, also from within the closure.
/// Whoever finds the closure at work leaves the end to the worker, so that the end comes after the last report, and
/// never beside it.
final class ReportReceiver: ReportObserver {
    private enum Phase {
        case idle, receiving
        /// The end was asked for while the closure was at work.
        case ending(ErrorBus.Statistics)
        case ended
    }

    private let receive: @Sendable (ErrorReport) -> Void
    private let onEnd: @Sendable (ErrorBus.Statistics) -> Void
    private let phase = Locked(Phase.idle)

    init(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (ErrorBus.Statistics) -> Void
    ) {
        self.receive = receive
        self.onEnd = onEnd
    }

    func offer(_ report: ErrorReport) {
        let begins = phase.withLock { phase -> Bool in
            guard case .idle = phase else { return false }
            phase = .receiving
            return true
        }
        guard begins else { return }
        receive(report)
        let end = phase.withLock { phase -> ErrorBus.Statistics? in
            if case .ending(let statistics) = phase {
                phase = .ended
                return statistics
            }
            phase = .idle
            return nil
        }
        if let end { onEnd(end) }
    }

    func wakeReader() {}

    func finish(_ statistics: ErrorBus.Statistics) {
        let isNow = phase.withLock { phase -> Bool in
            switch phase {
            case .idle:
                phase = .ended
                return true
            case .receiving:
                phase = .ending(statistics)
                return false
            case .ending, .ended:
                return false
            }
        }
        if isNow { onEnd(statistics) }
    }
}
