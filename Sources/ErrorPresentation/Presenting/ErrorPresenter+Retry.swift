import ErrorRouting

/// Running a failed operation again, and recognising the errors that come from it.
extension ErrorPresenter {
    /// Runs the operation of the shown error again.
    ///
    /// - Parameter id: The number of the error that is meant; nil for whichever is shown.
    func runAgain(_ id: PresentedError.ID?) async {
        guard let id = machine.beginRetry(id) else { return }
        publish()
        if let operation = retries[id] {
            let retried = RetriedError(presenter: ObjectIdentifier(self), id: id)
            await RetriedError.$current.withValue(retried) { await operation() }
        }
        let gone = machine.endRetry()
        publish()
        removeOperation(of: gone)
    }

    /// Dismisses the shown error.
    ///
    /// - Parameter id: The number of the error that is meant; nil for whichever is shown.
    func dismissCurrent(_ id: PresentedError.ID?) {
        let gone = machine.dismiss(id)
        publish()
        removeOperation(of: gone)
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

    /// Removes an error's operation.
    ///
    /// The operation is released after the access to `retries`, since it may hold an object whose `deinit` calls this
    /// presenter.
    private func removeOperation(of id: PresentedError.ID?) {
        if let id { _ = retries.removeValue(forKey: id) }
    }
}

/// An error whose operation is being run again.
struct RetriedError: Sendable {
    @TaskLocal static var current: RetriedError?

    /// The presenter that shows the error; another presenter may use the same number.
    let presenter: ObjectIdentifier
    let id: PresentedError.ID
}
