/// Locks and events, identified by their addresses.
extension Explorer {
    package func lock(_ address: UInt, at site: Site) {
        let location = unsafe locations.find(address, for: current)
        unsafe stopIfContended(at: location, .lock)
        if unsafe location.pointee.isHeld { unsafe waitForHolder(of: location) }
        unsafe acquire(location)
        unsafe note("locks", location, site)
    }

    /// Requires a bound on preemptions.
    ///
    /// Without one, the result would have to be a decision of the search.
    package func tryLock(_ address: UInt, at site: Site) -> Bool {
        precondition(
            bound.preemptions != nil || replayed != nil,
            "a lock is tried in a scenario that has no bound on preemptions")
        let location = unsafe locations.find(address, for: current)
        unsafe stopIfContended(at: location, .change)
        if unsafe location.pointee.isHeld {
            unsafe note("does not get the lock of", location, site)
            return false
        }
        unsafe acquire(location)
        unsafe note("locks", location, site)
        return true
    }

    /// This isn't a decision: a thread that waits for the lock is tried at the holder's next step.
    package func unlock(_ address: UInt, at site: Site) {
        let location = unsafe locations.find(address, for: current)
        tick()
        unsafe location.pointee.released.join(clocks[current])
        unsafe location.pointee.isHeld = false
        hasChanged = true
        unsafe order(nextLockAt: location)
        unsafe note("unlocks", location, site)
    }

    /// Wakes one thread that waits for an event now or later; a second signal before that has no effect.
    package func signal(_ address: UInt, at site: Site) {
        let location = unsafe event(at: address)
        unsafe stopIfContended(at: location, .change)
        tick()
        unsafe location.pointee.released.join(clocks[current])
        unsafe location.pointee.isHeld = false
        unsafe note("signals", location, site)
    }

    /// Waits until an event is signaled.
    package func wait(for address: UInt, at site: Site) {
        let location = unsafe event(at: address)
        unsafe stopIfContended(at: location, .lock)
        if unsafe location.pointee.isHeld { unsafe waitForHolder(of: location) }
        unsafe acquire(location)
        unsafe note("is woken by", location, site)
    }

    /// Waits without synchronizing with other threads, as if the thread arrived at the right time by chance.
    ///
    /// Requires a bound on preemptions, because the locations that the condition reads are unknown.
    package func wait(until condition: @escaping () -> Bool) {
        precondition(
            bound.preemptions != nil || replayed != nil, "a condition is waited for without a bound on preemptions")
        threads[current].condition = condition
        unsafe stop(at: nil, .wait)
        threads[current].condition = nil
    }

    // MARK: Details

    /// The location of an event, which begins as a lock that is held.
    private func event(at address: UInt) -> UnsafeMutablePointer<Location> {
        let location = unsafe locations.find(address, for: current)
        if unsafe location.pointee.newestStore < 0 {
            unsafe (location.pointee.newestStore, location.pointee.isHeld) = (0, true)
        }
        return unsafe location
    }

    /// Waits at a location that wasn't known to be contended.
    ///
    /// At a known one, the thread would have waited before.
    private func waitForHolder(of location: UnsafeMutablePointer<Location>) {
        unsafe stop(at: location, .lock)
    }

    private func acquire(_ location: UnsafeMutablePointer<Location>) {
        unsafe location.pointee.isHeld = true
        tick()
        unsafe clocks[current].join(location.pointee.released)
    }
}
