import Synchronization

/// A value under a lock, on which tasks can wait for a condition.
///
/// Tests use it instead of a sleep.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        // The waiters that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
        var nextID = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    package var value: Value { state.withLock { $0.value } }

    package func update(_ change: (inout Value) -> Void) {
        let satisfied = state.withLock { state in
            change(&state.value)
            let ids = state.waiters.filter { $0.value.condition(state.value) }.map(\.key)
            return ids.compactMap { state.waiters.removeValue(forKey: $0) }
        }
        // Resume after unlocking, because a resumed task might read the value.
        for waiter in satisfied { waiter.continuation.resume() }
    }

    /// Waits until the condition holds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func wait(until condition: @escaping @Sendable (Value) -> Bool) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if condition(state.value) { return .success(()) }
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
