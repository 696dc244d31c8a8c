/// An observer of a bus or of one of its scopes, which calls a closure with each report, and another closure once after
/// the last report.
///
/// The bus's worker passes one report after another. Any thread can end the observation at any time, even from within
/// the closure. If the closure is running at that time, the worker calls `onEnd` after the closure. So `onEnd` is never
/// called before the last report or during a call of the closure.
final class ReportObserver: Sendable {
    private struct Closures: Sendable {
        let receive: @Sendable (ErrorReport) -> Void
        let onEnd: @Sendable (ErrorBus.Statistics) -> Void
    }

    private struct State {
        /// Nil at the end, which releases what they capture, possibly the observation itself.
        var closures: Closures?
        /// Whether the worker is passing a report; if the end was requested by then, the worker ends the observation.
        var isReceiving = false
        /// The bus's statistics at the time when the end was requested; nil before that.
        var end: ErrorBus.Statistics?
    }

    /// The scope to observe, with the scopes below it; nil for all reports of the bus.
    private let scope: ScopeContext?
    /// Wakes a waiting reader, because no more reports follow immediately.
    let wakeReader: @Sendable () -> Void
    private let state: Locked<State>

    init(
        of scope: ScopeContext? = nil, _ receive: @escaping @Sendable (ErrorReport) -> Void,
        onEnd: @escaping @Sendable (ErrorBus.Statistics) -> Void, wakeReader: @escaping @Sendable () -> Void = {}
    ) {
        (self.scope, self.wakeReader) = (scope, wakeReader)
        state = Locked(State(closures: Closures(receive: receive, onEnd: onEnd)))
    }

    /// Passes a report that was posted in a scope or, if the scope is nil, to the bus itself.
    ///
    /// Only the worker calls it, without a lock, because matchers and observers run user code.
    func offer(_ report: ErrorReport, postedIn origin: ScopeContext?) {
        if let scope, origin?.isWithin(scope) != true { return }
        let closures = state.withLock { state -> Closures? in
            state.isReceiving = state.closures != nil
            return state.closures
        }
        guard let closures else { return }
        closures.receive(report)
        // Release the closures outside the lock: that might run user code.
        let ended = state.withLock { state -> (closures: Closures?, statistics: ErrorBus.Statistics)? in
            state.isReceiving = false
            return state.end.map { (state.closures.take(), $0) }
        }
        if let ended { ended.closures?.onEnd(ended.statistics) }
    }

    /// Ends the observation, after which no more reports follow.
    func finish(_ statistics: ErrorBus.Statistics) {
        let closures = state.withLock { state -> Closures? in
            state.end = state.end ?? statistics
            return state.isReceiving ? nil : state.closures.take()
        }
        closures?.onEnd(statistics)
    }
}
