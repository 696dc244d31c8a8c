/// A value that is set once and that any number of tasks can wait for.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Void, Never>])
        case fulfilled(Value)
    }

    private let state = Locked(State.waiting([]))

    package init() {}

    /// Sets the value and resumes the waiting tasks; later calls have no effect.
    package func fulfill(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .waiting(let waiters) = state else { return [] }
            state = .fulfilled(value)
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the value is set and returns it; if the waiting task is cancelled, sets the given value.
    func value(ifCancelled value: Value) async -> Value {
        await withTaskCancellationHandler {
            await self.value
        } onCancel: {
            fulfill(value)
        }
    }

    /// The value, for callers that can't wait for it; nil until it is set.
    var valueIfFulfilled: Value? {
        state.withLock { if case .fulfilled(let value) = $0 { value } else { nil } }
    }

    /// The value, after waiting until it is set, even if the waiting task is cancelled.
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
            // Read the value under the lock instead of passing it with the continuation: if a task is resumed before it
            // has suspended, the thread sanitizer sees no order between the resuming thread and the task.
            guard let value = valueIfFulfilled else { preconditionFailure("the promise is not fulfilled") }
            return value
        }
    }
}
