/// The state machine of a loader: a plain value.
///
/// Only the newest load under way decides the state. A result makes all loads that began earlier obsolete. A cancelled
/// load counts as if it had never begun: the load before it decides again, even if that one has already ended. If there
/// is no load before it, the state before all loads returns.
///
/// The time for an event is proportional to the number of loads under way, which is small on a screen.
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
        /// While this number is the same, the properties above are unchanged.
        fileprivate(set) var changes: UInt64 = 0
    }

    private(set) var visible = Visible()

    /// The state before the loads under way.
    ///
    /// It is never `.loading`.
    private var settled = LoadState<Value, Failure>.idle
    /// The numbers of the loads under way in the order in which they began, without the obsolete ones.
    private var loads: [UInt64] = []
    /// The newest result, which decides once no newer load is under way.
    private var newest: Result<Value, Failure>?
    private var lastNumber: UInt64 = 0

    /// Begins a load.
    ///
    /// - Returns: The load's number, which the caller passes to `end`.
    mutating func begin() -> UInt64 {
        lastNumber += 1
        loads.append(lastNumber)
        if !visible.state.isLoading { show(.loading) }
        return lastNumber
    }

    /// Ends a load.
    ///
    /// - Parameters:
    ///   - number: The load's number.
    ///   - result: The load's result; nil if it was cancelled.
    mutating func end(_ number: UInt64, _ result: Result<Value, Failure>?) {
        guard loads.contains(number) else { return }
        if let result {
            newest = result
            // Drop the earlier loads too, which are now obsolete.
            loads.removeAll { $0 <= number }
        } else {
            loads.removeAll { $0 == number }
        }
        // A load still under way will set the state.
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

    /// Cancels all loads under way.
    mutating func cancel() {
        for number in loads { end(number, nil) }
    }

    /// Discards everything.
    ///
    /// Results of loads under way will be ignored.
    mutating func reset() {
        visible.latest = nil
        visible.failureCount = 0
        settle(.idle)
    }

    private mutating func settle(_ end: LoadState<Value, Failure>) {
        assert(!end.isLoading, "a load cannot end in loading")
        // All loads that began earlier are obsolete.
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
