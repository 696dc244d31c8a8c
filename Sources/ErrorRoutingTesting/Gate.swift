import ErrorRouting

/// A gate that blocks tasks until the test opens it.
///
/// Use it instead of a sleep:
///
/// ```swift
/// let gate = Gate()
/// bus.task { await gate.wait(); throw Timeout() }
/// …
/// gate.open()
/// ```
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters = WaitList<Void>()
    }

    private let state = Locked(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate is open.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens the gate for all waiting tasks and for tasks that wait later.
    ///
    /// The gate stays open.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            return state.waiters.release { true }
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Waits until the gate is open, even in a cancelled task.
    ///
    /// Use it to simulate work that ignores cancellation.
    public func wait() async {
        // error-audit: harmless, because this can't throw: only `waitUnlessCancelled` cancels its slot.
        try? await enter(reserve())
    }

    /// Waits until the gate is open or the task is cancelled.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the gate opens.
    public func waitUnlessCancelled() async throws {
        let id = reserve()
        try await withTaskCancellationHandler {
            try await enter(id)
        } onCancel: {
            state.withLock { $0.waiters.cancel(id) }?.resume(throwing: CancellationError())
        }
    }

    private func reserve() -> UInt64 {
        state.withLock { $0.waiters.reserve() }
    }

    private func enter(_ id: UInt64) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let resume = state.withLock { state -> (() -> Void)? in
                if state.isOpen {
                    state.waiters.free(id)
                    return { continuation.resume() }
                }
                return state.waiters.occupy(id, (), continuation)
                    ? nil : { continuation.resume(throwing: CancellationError()) }
            }
            resume?()
        }
    }
}
