/// A loader's state machine, which is a plain value.
///
/// Only the newest load in progress sets the state. A result makes all loads that began earlier obsolete. A cancelled
/// load is treated as if it had never begun: the load before it sets the state, even if that load has already finished.
/// If no load precedes it, the state before all loads is restored.
///
/// The time for an event is proportional to the number of loads in progress, which is small on a screen.
struct LoaderMachine<Value, Failure: Error> {
    /// The values that a view shows.
    struct Visible {
        fileprivate(set) var state = LoadState<Value, Failure>.idle
        /// The last loaded value.
        ///
        /// Later failures don't change it.
        fileprivate(set) var latest: Value?
        /// The number of consecutive failed loads.
        fileprivate(set) var failureCount = 0
        /// How often the state was set.
        ///
        /// While this number stays the same, so do the properties above.
        fileprivate(set) var changes: UInt64 = 0
    }

    private(set) var visible = Visible()

    /// The state before the loads in progress.
    ///
    /// It is never `.loading`.
    private var settled = LoadState<Value, Failure>.idle
    /// The numbers of the loads in progress, oldest first, excluding obsolete loads.
    private var loads: [UInt64] = []
    /// The newest result, which sets the state once no newer load is in progress.
    private var newest: Result<Value, Failure>?
    private var lastNumber: UInt64 = 0

    /// Begins a load.
    ///
    /// - Returns: The number to pass to `end`.
    mutating func begin() -> UInt64 {
        lastNumber += 1
        loads.append(lastNumber)
        if !visible.state.isLoading { show(.loading) }
        return lastNumber
    }

    /// Ends a load with its result, or with nil if it was cancelled.
    mutating func end(_ number: UInt64, _ result: Result<Value, Failure>?) {
        guard loads.contains(number) else { return }
        if let result {
            newest = result
            // Drop the earlier loads too, which are now obsolete.
            loads.removeAll { $0 <= number }
        } else {
            loads.removeAll { $0 == number }
        }
        // A load that is still in progress will set the state.
        guard loads.isEmpty else { return }
        switch newest {
        case .success(let value)?:
            visible.latest = value
            visible.failureCount = 0
            settle(.loaded(value))
        case .failure(let failure)?:
            visible.failureCount += 1
            settle(.failed(failure))
        case nil: settle(settled)
        }
    }

    /// Cancels all loads in progress.
    mutating func cancel() {
        for number in loads { end(number, nil) }
    }

    /// Returns to `.idle` and discards the loaded value.
    ///
    /// Results of loads in progress will be ignored.
    mutating func reset() {
        visible.latest = nil
        visible.failureCount = 0
        settle(.idle)
    }

    /// Sets a state that isn't `.loading` and makes all loads obsolete.
    private mutating func settle(_ end: LoadState<Value, Failure>) {
        assert(!end.isLoading, "a load cannot end in loading")
        // All loads that have begun so far are obsolete.
        loads.removeAll()
        newest = nil
        settled = end
        show(end)
    }

    private mutating func show(_ state: LoadState<Value, Failure>) {
        visible.state = state
        visible.changes += 1
    }
}
