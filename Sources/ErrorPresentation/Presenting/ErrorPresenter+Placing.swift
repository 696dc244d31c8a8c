import ErrorRouting
import Foundation

/// Receiving errors, and placing them in the queue.
extension ErrorPresenter {
    /// Places an error that did not come through the inbox, after all errors in the inbox.
    func present(_ arrival: Arrival) {
        if isPlacing {
            // No recursion: the code for an error's text may present another error, and so on.
            if inbox.receive(arrival) { Task.detached { @MainActor [weak self] in self?.wakeUp() } }
            return
        }
        emptyInbox()
        machine.receive(Statistics(received: arrival.count, waiting: arrival.count))
        place(arrival)
        publish()
    }

    /// Counts an error that is not shown.
    func pass() {
        machine.receive(Statistics(received: 1, never: 1))
        publish()
    }

    /// Counts an error of a cancelled task; if this task runs an operation again, notes that it was cancelled.
    func passCancellation() {
        noteCancelledRetry()
        pass()
    }

    static func unboxed(_ error: any Error) -> any Error {
        ErrorReport(error: error, source: ErrorReport.Source(), instant: .now).error
    }

    /// The observer for a bus; it retains only the inbox, so that the last reference to a presenter is never a bus's.
    var receiver: @Sendable (ErrorReport) -> Void {
        { [inbox, weak self] report in
            // Detached, so that task-local values of the bus's task are not bound while the error is presented.
            if inbox.receive(report) { Task.detached { @MainActor in self?.wakeUp() } }
        }
    }

    private func wakeUp() {
        wakeUps += 1
        emptyInbox(atWakeUp: true)
        publish()
    }

    func emptyInbox(atWakeUp: Bool = false) {
        let batch = inbox.takeAll(atWakeUp: atWakeUp)
        machine.receive(batch.counts)
        for arrival in batch.arrivals { place(arrival) }
    }

    private func place(_ arrival: Arrival) {
        isPlacing = true
        let presented = presented(arrival)
        isPlacing = false
        guard let (error, recovery) = presented else {
            if let retried = arrival.retried { machine.failRetry(retried) }
            return machine.pass(arrival.count)
        }
        let type = type(of: arrival.error)
        switch machine.place(error, type: type, isAskedFor: arrival.isAskedFor, asFailureOf: arrival.retried) {
        case .shown(let id), .waits(let id):
            recoveries[id] = recovery
        case .folded, .discarded:
            break
        }
        if let id = machine.takeDiscarded() { discardRecovery(of: id) }
    }

    /// Returns an error with its style and texts, and what can be done about it; nil if the rules do not show it.
    ///
    /// Ignored errors, and errors of cancelled tasks, have been sorted out before.
    private func presented(_ arrival: Arrival) -> (PresentedError, Recovery)? {
        let error = arrival.error
        var style = rules[error]
        // A person waits for it: to hide it takes a rule.
        if style == .hidden, arrival.isAskedFor, rules.match(error) == nil { style = .alert }
        if style == .hidden { return nil }
        let (text, own) = (texts[error], OwnText(error))
        let presented = PresentedError(
            id: 0,
            style: style,
            title: arrival.title ?? text?.title ?? own.title,
            message: text?.message ?? own.message ?? own.failureReason ?? OwnText.unknown,
            recoverySuggestion: text?.recoverySuggestion ?? own.recoverySuggestion,
            failureReason: own.failureReason,
            recoveryOptions: own.recoveryOptions,
            count: arrival.count,
            canRetry: arrival.retry != nil
        )
        let bannerDuration = (error as? any BannerDurationProviding).map(\.bannerDuration)
        return (presented, Recovery(of: arrival, own.optionPositions, bannerDuration: bannerDuration, on: self))
    }

    /// Copies the machine's state to the observable properties that differ from it.
    ///
    /// Observers are told before a value is stored, and may change the machine. Then the stored value is out of date:
    /// so each property is compared again in a loop.
    func publish() {
        while settled != machine.statistics { settled = machine.statistics }
        publish(.alert, to: \.shownAlert)
        publish(.banner, to: \.shownBanner)
        publish(.inline, to: \.shownInline)
        while isRetrying != machine.isRetrying { isRetrying = machine.isRetrying }
        timeBanner()
    }

    private func publish(
        _ style: PresentationStyle,
        to path: ReferenceWritableKeyPath<ErrorPresenter, PresentedError?>
    ) {
        while self[keyPath: path] != machine.shown(as: style) {
            // Released after the access: it may be the last to retain an operation of the user's.
            let former = self[keyPath: path]
            var error = machine.shown(as: style)
            if let id = error?.id { error?.recovery = recoveries[id] }
            self[keyPath: path] = error
            withExtendedLifetime(former) {}
        }
    }
}
