import Synchronization

/// An event that happens once, and for which any number of tasks can wait.
final class Completion: Sendable {
    private enum State {
        case pending([CheckedContinuation<Void, Never>])
        case over
    }

    private let state = Mutex(State.pending([]))

    /// Whether the event has happened.
    var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }

    /// Lets all waiting tasks continue; a second call has no effect.
    func complete() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .pending(let waiting) = state else { return [] }
            state = .over
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the event, even in a cancelled task.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard case .pending(let waiting) = state else { return true }
                state = .pending(waiting + [continuation])
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
