/// The state machine of a loader: a plain value.
///
/// Only the newest load under way decides the state. A result makes all loads that began earlier obsolete. A cancelled
/// load counts as if it had never begun: the load before it decides again, even if that one has already ended. If there
/// is no load before it, the state before all loads returns.
///
/// The time for an event is proportional to the number of loads under way, which is small on a screen.
struct LoaderMachine<Value, Failure: Error> {
    /// How a load ends.
    enum End {
        case success(Value)
        case failure(Failure)
        /// It was cancelled and has no result.
        case cancelled
    }

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

    /// The results that a machine retains.
    ///
    /// Retain them during an event, so that no `deinit` of a value runs within the event.
    struct Results {
        fileprivate let visible: Visible
        fileprivate let settled: LoadState<Value, Failure>
        fileprivate let overtaken: End?
    }

    private(set) var visible = Visible()

    /// The state before the loads under way.
    ///
    /// It is never `.loading`.
    private var settled = LoadState<Value, Failure>.idle
    /// The numbers of the loads under way in the order in which they began, without the obsolete ones.
    private var loads: [UInt64] = []
    /// The newest result that arrived while a newer load was under way.
    private var overtaken: End?
    private var lastNumber: UInt64 = 0

    var results: Results { Results(visible: visible, settled: settled, overtaken: overtaken) }

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
    ///   - end: How the load ended.
    /// - Returns: Whether the state was set.
    @discardableResult
    mutating func end(_ number: UInt64, _ end: End) -> Bool {
        guard loads.contains(number) else { return false }
        let isNewest = number == loads.last
        switch end {
        case .success, .failure:
            guard !isNewest else { return decide(end) }
            // Drop the earlier loads, which are now obsolete. This result decides only if all later loads are
            // cancelled.
            loads.removeAll { $0 <= number }
            overtaken = end
            return false
        case .cancelled:
            loads.removeAll { $0 == number }
            // A load still under way will set the state.
            guard isNewest, loads.isEmpty else { return false }
            if let overtaken { return decide(overtaken) }
            settle(settled)
            return true
        }
    }

    private mutating func decide(_ end: End) -> Bool {
        switch end {
        case .success(let value):
            visible.latest = value
            visible.failureCount = 0
            settle(.loaded(value))
        case .failure(let failure):
            visible.failureCount += 1
            settle(.failed(failure))
        case .cancelled:
            assertionFailure("a cancellation decides nothing")
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
