import ErrorRouting

/// Retries failed operations, and recognizes the errors that come from a retry.
extension ErrorPresenter {
    /// Retries an error's operation, or performs one of its options.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - option: The option's position; nil for the operation.
    func runAgain(_ error: PresentedError, option: Int? = nil) async {
        guard let recovery = error.recovery, recovery.presenter === self,
            let action = recovery.begin(option: option)
        else { return }
        machine.beginRetry(error.id)
        publish()
        let retried = RetriedError(presenter: ObjectIdentifier(self), id: error.id)
        let isDone = await RetriedError.$current.withValue(retried) { await action() }
        if !isDone { machine.cancelRetry(error.id) }
        if machine.endRetry(error, isDismissed: recovery.isDiscarded) {
            recoveries[error.id] = recovery
            recovery.renew()
            publish()
        } else {
            publish()
            discard(recovery, of: error.id)
        }
    }

    /// Dismisses an error if it is shown.
    ///
    /// - Parameter keepsRecovery: Whether a caller that retains the error's value can still retry its operation.
    func remove(_ error: PresentedError?, keepsRecovery: Bool) {
        guard let error, machine.dismiss(error.id) else { return }
        publish()
        if keepsRecovery {
            let recovery = recoveries.removeValue(forKey: error.id)
            withExtendedLifetime(recovery) {}
        } else {
            discardRecovery(of: error.id)
        }
    }

    /// Releases an error's recovery.
    func discardRecovery(of id: PresentedError.ID) {
        if let recovery = recoveries[id] { discard(recovery, of: id) }
    }

    func discard(_ recovery: Recovery, of id: PresentedError.ID) {
        if recoveries[id] === recovery { recoveries[id] = nil }
        // Leave a running operation alone: it ends on its own.
        recovery.discard()
    }

    /// The number of this presenter's error that this task retries; nil in every other task.
    var retried: PresentedError.ID? {
        guard let error = RetriedError.current, error.presenter == ObjectIdentifier(self) else { return nil }
        return error.id
    }

    /// Records that this task's retry was cancelled.
    ///
    /// It does nothing in a task that isn't a retry.
    func noteCancelledRetry() {
        if let retried { machine.cancelRetry(retried) }
    }
}

/// An error that is being retried.
struct RetriedError: Sendable {
    @TaskLocal static var current: RetriedError?

    /// The presenter that shows the error.
    ///
    /// Another presenter might use the same number.
    let presenter: ObjectIdentifier
    let id: PresentedError.ID
}
