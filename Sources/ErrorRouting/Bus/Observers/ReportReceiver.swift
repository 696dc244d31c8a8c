import Synchronization

/// A closure that gets every report, and one that is called once, when there are no more.
///
/// The bus's worker offers one report after the other; anyone may end it, at any moment, also from within the closure.
/// Whoever finds the closure at work leaves the end to the worker, so that the end comes after the last report, and
/// never beside it.
final class ReportReceiver: ReportObserver {
    private struct Closures {
        let receive: @Sendable (ErrorReport) -> Void
        let onEnd: @Sendable (ErrorBus.Statistics) -> Void
    }

    private enum Phase {
        case idle(Closures)
        case receiving
        /// The end was asked for while the closure was at work.
        case ending(ErrorBus.Statistics)
        /// The closures are let go of, with all that they hold, the observation perhaps.
        case ended
    }

    private let phase: Locked<Phase>

    init(
        _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (ErrorBus.Statistics) -> Void
    ) {
        phase = Locked(.idle(Closures(receive: receive, onEnd: onEnd)))
    }

    func offer(_ report: ErrorReport) {
        let begun = phase.withLock { phase -> Closures? in
            guard case .idle(let closures) = phase else { return nil }
            phase = .receiving
            return closures
        }
        guard let closures = begun else { return }
        closures.receive(report)
        let end = phase.withLock { phase -> ErrorBus.Statistics? in
            if case .ending(let statistics) = phase {
                phase = .ended
                return statistics
            }
            phase = .idle(closures)
            return nil
        }
        if let end { closures.onEnd(end) }
    }

    func wakeReader() {}

    func finish(_ statistics: ErrorBus.Statistics) {
        let idle = phase.withLock { phase -> Closures? in
            switch phase {
            case .idle(let closures):
                phase = .ended
                return closures
            case .receiving:
                phase = .ending(statistics)
                return nil
            case .ending, .ended:
                return nil
            }
        }
        idle?.onEnd(statistics)
    }
}
