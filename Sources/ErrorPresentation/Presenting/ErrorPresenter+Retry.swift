import ErrorRouting

/// Running a failed operation again, and recognising the errors that come from it.
extension ErrorPresenter {
    /// Runs the operation of an error again, or carries out one of its options.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - option: The place of the option; nil for the operation.
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
    /// - Parameter keepsRecovery: Whether who retains the error's value can still run its operation again.
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

    /// Releases what can be done about an error.
    func discardRecovery(of id: PresentedError.ID) {
        if let recovery = recoveries[id] { discard(recovery, of: id) }
    }

    func discard(_ recovery: Recovery, of id: PresentedError.ID) {
        if recoveries[id] === recovery { recoveries[id] = nil }
        // An operation that is still running ends by itself.
        recovery.discard()
    }

    /// The number of the error of this presenter whose operation this task runs again; nil in every other task.
    var retried: PresentedError.ID? {
        guard let error = RetriedError.current, error.presenter == ObjectIdentifier(self) else { return nil }
        return error.id
    }

    /// Notes that the operation that this task runs again was cancelled; does nothing in every other task.
    func noteCancelledRetry() {
        if let retried { machine.cancelRetry(retried) }
    }
}

/// An error whose operation is being run again.
struct RetriedError: Sendable {
    @TaskLocal static var current: RetriedError?

    /// The presenter that shows the error; another presenter may use the same number.
    let presenter: ObjectIdentifier
    let id: PresentedError.ID
}
