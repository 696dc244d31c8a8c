import ErrorRouting

/// How what failed is run again, and how what it runs is told from anything else.
extension ErrorPresenter {
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
        letGo(gone)
    }

    /// - Parameter id: The number of the error that is meant; nil for whichever is shown.
    func dismissCurrent(_ id: PresentedError.ID?) {
        let gone = machine.dismiss(id)
        publish()
        letGo(gone)
    }

    /// The number of the error of this presenter whose operation this task runs again; nil in every other task.
    var retried: PresentedError.ID? {
        guard let error = RetriedError.current, error.presenter == ObjectIdentifier(self) else { return nil }
        return error.id
    }

    /// If this task runs an operation again, that was cancelled.
    func noteCancelledRetry() {
        if let retried { machine.cancelRetry(retried) }
    }

    /// Forgets what to run again, outside of any access: an operation may hold an object whose `deinit` leads back
    /// here.
    private func letGo(_ id: PresentedError.ID?) {
        if let id { _ = retries.removeValue(forKey: id) }
    }
}

/// The error whose operation this task runs again.
struct RetriedError: Sendable {
    @TaskLocal static var current: RetriedError?

    /// The presenter that shows it: another one may have given the same number to something else.
    let presenter: ObjectIdentifier
    let id: PresentedError.ID
}
