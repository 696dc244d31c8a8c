/// A value that someone will give once, and any number wait for.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Void, Never>])
        case fulfilled(Value)
    }

    private let state = Locked(State.waiting([]))

    package init() {}

    /// Gives the value.
    ///
    /// Only the first one counts.
    package func fulfill(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .waiting(let waiters) = state else { return [] }
            state = .fulfilled(value)
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The value, once it is there.
    ///
    /// Cancellation does not end the wait.
    package var value: Value {
        get async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isFulfilled = state.withLock { state -> Bool in
                    guard case .waiting(let waiters) = state else { return true }
                    state = .waiting(waiters + [continuation])
                    return false
                }
                if isFulfilled { continuation.resume() }
            }
            // Read here and not handed over: the thread sanitizer does not see the order between who resumes a task and
            // the task where that had not come to its suspension yet.
            return state.withLock { state in
                guard case .fulfilled(let value) = state else { preconditionFailure("the promise is not fulfilled") }
                return value
            }
        }
    }
}
