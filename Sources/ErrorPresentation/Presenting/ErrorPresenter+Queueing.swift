import ErrorRouting
import Foundation

/// Receives errors and adds them to the queues.
extension ErrorPresenter {
    /// Adds the errors in the inbox, and then an error that didn't come through the inbox.
    func present(_ arrival: Arrival) {
        if isQueueing {
            // Store the error instead of recursing: user code that provides an error's texts might present another
            // error.
            if inbox.receive(arrival) { wakeUp() }
            return
        }
        emptyInbox()
        machine.receive(Statistics(waiting: arrival.count))
        enqueue(arrival)
        publish()
    }

    static func unboxed(_ error: any Error) -> any Error {
        ErrorReport(error: error, source: ErrorReport.Source(), instant: .now).error
    }

    /// The observer for a bus.
    ///
    /// It retains only the inbox, so that a bus never owns the last reference to a presenter.
    var receiver: @Sendable (ErrorReport) -> Void {
        { [inbox, weak self] report in
            // Detach the task, so that the bus task's task-local values aren't bound while the error is presented.
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

    /// Adds the errors in the inbox and the errors that shared buses hold for this window.
    func emptyInbox(atWakeUp: Bool = false) {
        for batch in [inbox.takeAll(atWakeUp: atWakeUp)] + shared.map({ $0.take(for: self) }) {
            machine.receive(batch.counts)
            for arrival in batch.arrivals { enqueue(arrival) }
        }
    }

    /// Removes and returns the errors that came from a bus, so that another window can show them.
    func removeBusErrors(includesShown: Bool) -> [Arrival] {
        let errors = machine.removeBusErrors(includesShown: includesShown)
        publish()
        return errors.compactMap { error in error.recovery?.error.map { Arrival(error: $0, count: error.count) } }
    }

    private func enqueue(_ arrival: Arrival) {
        isQueueing = true
        let error = arrival.isHidden ? nil : presented(arrival)
        isQueueing = false
        guard let error else { return machine.skip(arrival.count, asFailureOf: arrival.retried) }
        let discarded = machine.enqueue(
            error, type: type(of: arrival.error), isFromUser: arrival.isFromUser, asFailureOf: arrival.retried)
        // Release the discarded error after the access: its `deinit` might call this presenter.
        withExtendedLifetime(discarded) {}
    }

    /// Returns the error to show for an arrival; nil if the error must be hidden.
    private func presented(_ arrival: Arrival) -> PresentedError? {
        let error = arrival.error
        var style = rules[error]
        // Show the error if the user is waiting for its operation: only a matching rule can hide such an error.
        if style == .hidden, arrival.isFromUser, rules.match(error) == nil { style = .alert }
        if style == .hidden { return nil }
        let (text, own) = (texts[error], OwnText(error))
        var presented = PresentedError(
            id: 0, style: style, title: arrival.title ?? text?.title ?? own.title,
            message: text?.message ?? own.message ?? own.failureReason ?? OwnText.unknown,
            recoverySuggestion: text?.recoverySuggestion ?? own.recoverySuggestion, failureReason: own.failureReason,
            recoveryOptions: own.recoveryOptions, count: arrival.count, canRetry: arrival.retry != nil)
        presented.recovery = Recovery(of: arrival, own.optionPositions, on: self)
        return presented
    }

    /// Updates the observable properties that differ from the machine's state.
    ///
    /// Observers are notified before a value is stored. If they change the machine, the stored value is out of date, so
    /// each property is compared again in a loop.
    func publish() {
        while settled != machine.statistics { settled = machine.statistics }
        for (style, path) in Self.shownErrors {
            while self[keyPath: path] != machine.shown(as: style) {
                // Release the former value after the access: it might hold the last reference to user code.
                let former = self[keyPath: path]
                self[keyPath: path] = machine.shown(as: style)
                withExtendedLifetime(former) {}
            }
        }
        while isRetrying != machine.isRetrying { isRetrying = machine.isRetrying }
        if stage.due != alert?.id { stage.show(alert?.id) }
        timeBanner()
    }

    /// The observable property for each style.
    static let shownErrors:
        [(style: PresentationStyle, path: ReferenceWritableKeyPath<ErrorPresenter, PresentedError?>)] =
            [(.alert, \.alert), (.banner, \.banner), (.inline, \.inline)]
}
