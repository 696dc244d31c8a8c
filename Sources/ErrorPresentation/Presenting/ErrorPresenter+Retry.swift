import ErrorRouting

/// Retries failed operations, and recognizes the errors that come from a retry.
extension ErrorPresenter {
    /// Retries an error's operation, or performs one of its options.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - option: The option's position; nil for the operation.
    func runAgain(_ error: PresentedError, option: Int? = nil) async {
        guard let recovery = error.recovery, recovery.presenter === self, !machine.isRetrying(error.id),
            let arrival = recovery.arrival(for: option)
        else { return }
        machine.beginRetry(error.id)
        publish()
        let isDone = await Self.$retriedError.withValue(error) { await recovery.perform(option, of: arrival) }
        if !isDone { machine.cancelRetry(error.id) }
        if !machine.endRetry(error, isDismissed: recovery.error == nil) { recovery.discard() }
        publish()
        // Release the operation last: its values' `deinit` might call this presenter.
        withExtendedLifetime(arrival) {}
    }

    func close(_ id: PresentedError.ID) { withExtendedLifetime(remove(id)) {} }

    /// Removes an error if it is shown, and returns it.
    func remove(_ id: PresentedError.ID) -> PresentedError? {
        // Without a change, an observer that closes an error would be called again and again.
        guard let removed = machine.dismiss(id) else { return nil }
        publish()
        return removed
    }

    /// The error that this task retries; nil in every other task.
    @TaskLocal static var retriedError: PresentedError?

    /// The number of this presenter's error that this task retries; nil in every other task.
    var retried: PresentedError.ID? { Self.retriedError.flatMap { $0.recovery?.presenter === self ? $0.id : nil } }
}
