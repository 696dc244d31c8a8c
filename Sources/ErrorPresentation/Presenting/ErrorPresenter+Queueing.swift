import ErrorRouting
import Foundation

/// Receives errors and adds them to the queue.
extension ErrorPresenter {
    /// Adds an error that didn't come through the inbox, after all errors in the inbox.
    func present(_ arrival: Arrival) {
        if isQueueing {
            // Don't recurse: the code for an error's text might present another error, and so on.
            if inbox.receive(arrival) { wakeUp() }
            return
        }
        emptyInbox()
        machine.receive(Statistics(received: arrival.count, waiting: arrival.count))
        enqueue(arrival)
        publish()
    }

    /// Counts an error that isn't shown.
    func skip() {
        machine.receive(Statistics(received: 1, neverShown: 1))
        publish()
    }

    /// Counts an error of a cancelled task.
    ///
    /// If this task is a retry, records that the retry was cancelled.
    func skipCancellation() {
        noteCancelledRetry()
        skip()
    }

    static func unboxed(_ error: any Error) -> any Error {
        ErrorReport(error: error, source: ErrorReport.Source(), instant: .now).error
    }

    /// The observer for a bus.
    ///
    /// It retains only the inbox, so that a bus never owns the last reference to a presenter.
    var receiver: @Sendable (ErrorReport) -> Void {
        { [inbox, weak self] report in
            // Detach the task, so that task-local values of the bus's task aren't bound while the error is presented.
            if inbox.receive(report) { Task.detached { @MainActor in self?.wakeUp() } }
        }
    }

    func wakeUp() {
        if isQueueing {
            Task.detached { @MainActor [weak self] in self?.wakeUp() }
            return
        }
        wakeUps += 1
        emptyInbox(atWakeUp: true)
        publish()
    }

    func emptyInbox(atWakeUp: Bool = false) {
        for batch in [inbox.takeAll(atWakeUp: atWakeUp)] + shared.map({ $0.take(for: self) }) {
            machine.receive(batch.counts)
            for arrival in batch.arrivals { enqueue(arrival) }
        }
    }

    /// Removes and returns errors from a bus that another window can show.
    func giveBack(includesShown: Bool) -> [Arrival] {
        let former = recoveries
        defer { withExtendedLifetime(former) {} }
        let arrivals = machine.giveBack(includesShown: includesShown).compactMap { id, count in
            recoveries.removeValue(forKey: id)?.error.map { Arrival(error: $0, count: count) }
        }
        publish()
        return arrivals
    }

    private func enqueue(_ arrival: Arrival) {
        isQueueing = true
        let presented = presented(arrival)
        isQueueing = false
        guard let (error, recovery) = presented else {
            if let retried = arrival.retried { machine.failRetry(retried) }
            return machine.skip(arrival.count)
        }
        let type = type(of: arrival.error)
        switch machine.enqueue(error, type: type, isFromUser: arrival.isFromUser, asFailureOf: arrival.retried) {
        case .shown(let id), .waits(let id): recoveries[id] = recovery
        case .merged, .discarded: break
        }
        if let id = machine.takeDiscarded() { discardRecovery(of: id) }
    }

    /// Returns an error with its style, its texts, and its recovery; nil if the rules don't show it.
    ///
    /// Filter ignored errors and errors of cancelled tasks before calling it.
    private func presented(_ arrival: Arrival) -> (PresentedError, Recovery)? {
        let error = arrival.error
        var style = rules[error]
        // The user is waiting for it; only a rule can hide it.
        if style == .hidden, arrival.isFromUser, rules.match(error) == nil { style = .alert }
        if style == .hidden { return nil }
        let (text, own) = (texts[error], OwnText(error))
        let presented = PresentedError(
            id: 0, style: style, title: arrival.title ?? text?.title ?? own.title,
            message: text?.message ?? own.message ?? own.failureReason ?? OwnText.unknown,
            recoverySuggestion: text?.recoverySuggestion ?? own.recoverySuggestion, failureReason: own.failureReason,
            recoveryOptions: own.recoveryOptions, count: arrival.count, canRetry: arrival.retry != nil)
        let bannerDuration = (error as? any BannerDurationProviding).map(\.bannerDuration)
        return (presented, Recovery(of: arrival, own.optionPositions, bannerDuration: bannerDuration, on: self))
    }

    /// Copies the machine's state to the observable properties where they differ.
    ///
    /// Observers are notified before a value is stored. If they change the machine, the stored value is out of date, so
    /// each property is compared again in a loop.
    func publish() {
        while settled != machine.statistics { settled = machine.statistics }
        for (style, path) in Self.shownErrors {
            while self[keyPath: path] != machine.shown(as: style) {
                // Release the old value after the access: it might hold the last reference to user code.
                let former = self[keyPath: path]
                var error = machine.shown(as: style)
                if let id = error?.id { error?.recovery = recoveries[id] }
                self[keyPath: path] = error
                withExtendedLifetime(former) {}
            }
        }
        while isRetrying != machine.isRetrying { isRetrying = machine.isRetrying }
        if stage.due != shownAlert?.id { stage.show(shownAlert?.id) }
        timeBanner()
    }

    /// The observable property for each style.
    static let shownErrors:
        [(style: PresentationStyle, path: ReferenceWritableKeyPath<ErrorPresenter, PresentedError?>)] =
            [(.alert, \.shownAlert), (.banner, \.shownBanner), (.inline, \.shownInline)]
}
