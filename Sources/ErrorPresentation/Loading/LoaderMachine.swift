/// The states of a loader: a plain value, whose events say what becomes of each load.
///
/// Of the loads under way only the newest decides, and an answer overtakes all that began before it. One that is
/// cancelled is as if it had never begun: the one that began before it decides again, also if it has ended meanwhile;
/// and if there is none, the state before them all comes back.
struct LoaderMachine<Value, Failure: Error> {
    /// How a load ends.
    enum End {
        case success(Value)
        case failure(Failure)
        /// It was cancelled: that is no answer.
        case cancelled
    }

    private(set) var state = Loadable<Value, Failure>.idle {
        didSet { changes += 1 }
    }
    /// What was loaded last, whatever has gone wrong since.
    private(set) var latest: Value?
    /// How many loads in a row have failed.
    private(set) var failureCount = 0
    /// How often what is above has changed, or been set to the same again: whoever finds the same number sees the same.
    private(set) var changes: UInt64 = 0

    /// The state before the loads under way; never `.loading`.
    private var settled = Loadable<Value, Failure>.idle
    /// The numbers of the loads that are under way, the newest last, without those whose answer comes too late.
    private var loads: [UInt64] = []
    /// The newest answer that came while a newer load was under way.
    private var overtaken: End?
    private var lastNumber: UInt64 = 0

    /// A load begins.
    ///
    /// - Returns: Its number, which is to be given back at its end.
    mutating func begin() -> UInt64 {
        lastNumber += 1
        loads.append(lastNumber)
        if !state.isLoading { state = .loading }
        return lastNumber
    }

    /// A load ends.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - end: How it ended.
    /// - Returns: Whether that changed the state.
    @discardableResult
    mutating func end(_ number: UInt64, _ end: End) -> Bool {
        guard let place = loads.firstIndex(of: number) else { return false }
        let isNewest = place == loads.count - 1
        switch end {
        case .success, .failure:
            guard !isNewest else { return decide(end) }
            // It overtakes those before it, and is overtaken itself unless all after it are cancelled.
            loads.removeSubrange(...place)
            overtaken = end
            return false
        case .cancelled:
            loads.remove(at: place)
            // Another one under way may still come to its end.
            guard isNewest, loads.isEmpty else { return false }
            if let overtaken { return decide(overtaken) }
            settle(settled)
            return true
        }
    }

    private mutating func decide(_ end: End) -> Bool {
        switch end {
        case .success(let value):
            latest = value
            failureCount = 0
            settle(.loaded(value))
        case .failure(let failure):
            failureCount += 1
            settle(.failed(failure))
        case .cancelled:
            assertionFailure("a cancellation decides nothing")
        }
        return true
    }

    /// Forgets everything; what is under way comes too late.
    mutating func reset() {
        latest = nil
        failureCount = 0
        settle(.idle)
    }

    private mutating func settle(_ end: Loadable<Value, Failure>) {
        assert(!end.isLoading, "a load cannot end in loading")
        // What began earlier has been overtaken for good.
        loads.removeAll()
        overtaken = nil
        settled = end
        state = end
    }
}
