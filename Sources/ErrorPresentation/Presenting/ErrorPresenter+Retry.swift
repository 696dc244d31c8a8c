import ErrorRouting

/// Retries failed operations and recognizes the errors that come from a retry.
extension ErrorPresenter {
    /// Retries an error's operation.
    ///
    /// If `option` is the position of a recovery option, the option is performed first.
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
        // Release the operation last: the `deinit` of a captured value might call this presenter.
        withExtendedLifetime(arrival) {}
    }

    func close(_ id: PresentedError.ID) { withExtendedLifetime(remove(id)) {} }

    /// Removes and returns an error that the user has seen; returns nil for any other error.
    func remove(_ id: PresentedError.ID) -> PresentedError? {
        // Publish only a change: otherwise, an observer that closes an error would be called again and again.
        guard let removed = machine.dismiss(id) else { return nil }
        publish()
        return removed
    }

    /// The error that this task is retrying; nil if this task isn't a retry.
    @TaskLocal static var retriedError: PresentedError?

    /// The ID of the error that this task is retrying; nil if this task isn't a retry by this presenter.
    var retried: PresentedError.ID? { Self.retriedError.flatMap { $0.recovery?.presenter === self ? $0.id : nil } }
}
