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
    /// The newest result that arrived while a newer load was under way.
    private var overtaken: Result<Value, Failure>?
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
    /// - Returns: Whether the state was set.
    @discardableResult
    mutating func end(_ number: UInt64, _ result: Result<Value, Failure>?) -> Bool {
        guard loads.contains(number) else { return false }
        let isNewest = number == loads.last
        if let result {
            if isNewest { return decide(result) }
            // Drop the earlier loads, which are now obsolete. This result decides only if all later loads are
            // cancelled.
            loads.removeAll { $0 <= number }
            overtaken = result
            return false
        }
        loads.removeAll { $0 == number }
        // A load still under way will set the state.
        guard isNewest, loads.isEmpty else { return false }
        if let overtaken { return decide(overtaken) }
        settle(settled)
        return true
    }

    /// Cancels all loads under way.
    mutating func cancel() {
        for number in loads { end(number, nil) }
    }

    private mutating func decide(_ result: Result<Value, Failure>) -> Bool {
        switch result {
        case .success(let value):
            visible.latest = value
            visible.failureCount = 0
            settle(.loaded(value))
        case .failure(let failure):
            visible.failureCount += 1
            settle(.failed(failure))
        }
        return true
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
        overtaken = nil
        settled = end
        show(end)
    }

    private mutating func show(_ state: LoadState<Value, Failure>) {
        visible.state = state
        visible.changes += 1
    }
}
