import ErrorRouting

/// How errors come in, and get their places.
extension ErrorPresenter {
    /// Takes an error that nobody hands over by the inbox, after all that is in there.
    func present(_ arrival: Arrival) {
        if isPlacing {
            // Not deeper and deeper: an error's text may present an error, whose text does.
            if inbox.receive(arrival) { Task.detached { @MainActor [weak self] in self?.wakeUp() } }
            return
        }
        takeIn()
        machine.receive(Statistics(received: arrival.count, waiting: arrival.count))
        place(arrival)
        publish()
    }

    /// An error that is not to be shown came by.
    func pass() {
        machine.receive(Statistics(received: 1, never: 1))
        publish()
    }

    /// A cancellation came by: where this task runs an operation again, it is that of the operation.
    func passCancellation() {
        noteCancelledRetry()
        pass()
    }

    static func unboxed(_ error: any Error) -> any Error {
        ErrorReport(error: error, source: ErrorReport.Source(), instant: .now).error
    }

    /// What a bus's worker calls: it keeps the inbox alone, so that the last to let go of a presenter is never a bus.
    var receiver: @Sendable (ErrorReport) -> Void {
        { [inbox, weak self] report in
            // Detached, since nothing that is bound where an error is handled holds where it is shown.
            if inbox.receive(report) { Task.detached { @MainActor in self?.wakeUp() } }
        }
    }

    private func wakeUp() {
        wakeUps += 1
        takeIn(atWakeUp: true)
        publish()
    }

    private func takeIn(atWakeUp: Bool = false) {
        let batch = inbox.takeAll(atWakeUp: atWakeUp)
        machine.receive(batch.counts)
        for arrival in batch.arrivals { place(arrival) }
    }

    private func place(_ arrival: Arrival) {
        isPlacing = true
        let error = presented(arrival)
        isPlacing = false
        guard let error else {
            if let retried = arrival.retried { machine.failRetry(retried) }
            return machine.pass(arrival.count)
        }
        let type = type(of: arrival.error)
        switch machine.place(error, type: type, isAskedFor: arrival.isAskedFor, asFailureOf: arrival.retried) {
        case .shown(let id), .waits(let id), .folded(into: let id):
            // The newest of several that are alike: it knows best what to run.
            if let retry = arrival.retry { _ = retries.updateValue(retry, forKey: id) }
        case .discarded:
            break
        }
    }

    /// How an error is to be shown; nil if it is not.
    ///
    /// What is never shown, whatever the rules say, has not come so far: that is looked at where errors come in.
    private func presented(_ arrival: Arrival) -> PresentedError? {
        let error = arrival.error
        let style = rules[error]
        if style == .never { return nil }
        let (text, own) = (texts[error], OwnText(error))
        return PresentedError(
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
    }

    /// Tells observers what has changed, and of nothing else.
    ///
    /// They are told before, and may come back here meanwhile: then what is about to be stored is out of date.
    func publish() {
        while settled != machine.statistics { settled = machine.statistics }
        while current != machine.current { current = machine.current }
        while waiting != machine.waiting { waiting = machine.waiting }
        while discarded != machine.statistics.discarded { discarded = machine.statistics.discarded }
        while isRetrying != (machine.retried != nil) { isRetrying = machine.retried != nil }
    }
}
