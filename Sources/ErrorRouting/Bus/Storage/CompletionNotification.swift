/// Whether the worker is notifying observers and a waiting caller of a completed report.
///
/// The event that completes the report begins the notification, under the bus's lock, and the worker ends it without
/// the lock. So a shutdown can wait for the observers without waiting for the actions of the next report, which the
/// same event has begun.
struct CompletionNotification: ~Copyable, Sendable {
    private enum State {
        static let none: UInt64 = 0
        static let underway: UInt64 = 1
        /// It is underway, and the worker ends the bus afterwards.
        static let last: UInt64 = 2
    }

    private let state = Padded(State.none)

    var isUnderway: Bool { state.value != State.none }

    func begin() { state.set(State.underway) }

    /// Returns whether the worker must now end the bus.
    func end() -> Bool {
        if state.replace(State.underway, by: State.none).isReplaced { return false }
        state.set(State.none)
        return true
    }

    /// Lets the worker end the bus after the notification; returns false if none is underway.
    func makeLast() -> Bool { state.replace(State.underway, by: State.last).isReplaced }
}
