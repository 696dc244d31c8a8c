/// One decision of the search with its alternatives.
struct Decision {
    /// The current alternative, which is a thread or the number of newer stores that a load misses.
    var chosen: UInt8
    /// The alternatives that must be tried and the alternatives that were tried, as bits.
    var wanted: UInt8
    var tried: UInt8 = 0
    /// The threads that could continue and the sleeping threads among them, as bits.
    ///
    /// They are used only without a bound on preemptions.
    var ready: UInt8 = 0
    var asleep: UInt8 = 0
    /// Whether the decision is about the value of a load instead of the next thread.
    var isLoad = false
}

extension Explorer {
    /// Goes back to the last decision that has another alternative to try.
    ///
    /// - Returns: Whether there is such a decision.
    func backtrack() -> Bool {
        while let last = path.indices.last {
            path[last].tried |= 1 << path[last].chosen
            let left = path[last].wanted & ~path[last].tried & ~path[last].asleep
            if left != 0 {
                path[last].chosen = UInt8(left.trailingZeroBitCount)
                return true
            }
            path.removeLast()
        }
        return false
    }

    /// Returns the alternative to try, which the path determines; at the end of the path, returns the given
    /// alternative.
    ///
    /// The same decisions must lead to the same next decision. For example, a scenario in which a decision depends on
    /// an address fails.
    @inline(__always)
    private func decide(_ first: Int, wanting wanted: UInt8, isLoad: Bool = false) -> Int {
        defer { depth += 1 }
        if depth == path.count { path.append(Decision(chosen: UInt8(first), wanted: wanted, isLoad: isLoad)) }
        if path[depth].isLoad != isLoad || path[depth].wanted != wanted {
            if failure == nil { failure = "the same decisions led to others: the scenario depends on something else" }
            return first
        }
        return Int(path[depth].chosen)
    }

    // MARK: Next thread

    /// Decides which thread takes its next step; returns 0 if all threads have finished or the execution fails.
    func nextThread() -> Int {
        if hasChanged, let invariant, failure == nil {
            hasChanged = false
            inBetween(invariant)
            if failure != nil { return 0 }
        }
        var ready: UInt8 = 0
        for index in 1..<threadCount where isReady(index) { ready |= 1 << UInt8(index) }
        if ready == 0 {
            let waiting = (1..<threadCount).filter { threads[$0].step != .end }
            if !waiting.isEmpty, failure == nil { failure = "nobody can go on: threads \(waiting) wait" }
            return 0
        }
        let next: Int
        if let replayed, !isRehearsal {
            next = ready.nonzeroBitCount == 1 ? ready.trailingZeroBitCount : nextThread(of: replayed, among: ready)
        } else if bound.preemptions == nil {
            next = nextByDependence(among: ready)
        } else {
            next = nextByPreemptions(among: ready)
        }
        if ready.nonzeroBitCount > 1 { taken.append(.thread(next)) }
        return next
    }

    private func isReady(_ index: Int) -> Bool {
        switch threads[index].step {
        case .end: false
        case .lock: unsafe threads[index].location?.pointee.isHeld == false
        case .wait: inBetween { threads[index].condition?() ?? true }
        default: true
        }
    }

    /// Returns the thread that continues by default, which is the current thread if it can continue.
    @inline(__always)
    func preferred(of threads: UInt8) -> Int {
        threads & 1 << UInt8(current) != 0 ? current : threads.trailingZeroBitCount
    }

    @inline(__always)
    private func nextByPreemptions(among ready: UInt8) -> Int {
        if ready.nonzeroBitCount == 1 { return ready.trailingZeroBitCount }
        let isPreemption = ready & 1 << UInt8(current) != 0
        if isPreemption, preemptionsLeft == 0 { return current }
        let next = decide(preferred(of: ready), wanting: ready)
        if isPreemption, next != current { preemptionsLeft -= 1 }
        return next
    }

    // MARK: Loads

    /// Decides how many newer stores a load misses, which is at most the given number.
    func nextStaleness(upTo count: Int) -> Int {
        var staleness = 0
        // Limit the number, because it must fit in one digit of a schedule and eight bits of alternatives.
        let count = min(count, 7)
        if let replayed, !isRehearsal {
            guard case .staleness(let number)? = next(of: replayed), number <= count else { return diverge() }
            staleness = number
        } else if staleReadsLeft > 0, !isRedundant {
            staleness = decide(0, wanting: UInt8(1 << (count + 1) - 1), isLoad: true)
        }
        if staleness > 0 { staleReadsLeft -= 1 }
        taken.append(.staleness(staleness))
        return staleness
    }

    // MARK: Replay

    private func nextThread(of replayed: Schedule, among ready: UInt8) -> Int {
        guard case .thread(let next)? = next(of: replayed) else {
            // Accept the end of the schedule, but not a choice of another kind.
            return taken.count == replayed.choices.count ? preferred(of: ready) : diverge()
        }
        return ready & 1 << UInt8(next) != 0 ? next : diverge()
    }

    private func next(of replayed: Schedule) -> Schedule.Choice? {
        taken.count < replayed.choices.count ? replayed.choices[taken.count] : nil
    }

    /// Fails because the replayed schedule doesn't fit the execution.
    private func diverge() -> Int {
        if failure == nil, taken.count < replayed?.choices.count ?? 0 {
            failure = "the schedule is one of another scenario, or of another build"
        }
        return 0
    }
}
