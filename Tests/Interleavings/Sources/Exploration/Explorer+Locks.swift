/// Models locks and events, which are identified by their addresses.
extension Explorer {
    /// Acquires a lock and waits while another thread holds it.
    package func lock(_ address: UInt, at site: Site) {
        let location = unsafe locations.find(address, for: current)
        unsafe stopIfContended(at: location, .lock)
        if unsafe location.pointee.isHeld { unsafe waitForHolder(of: location) }
        unsafe acquire(location)
        unsafe note("locks", location, site)
    }

    /// Tries to acquire a lock and returns whether it succeeded.
    ///
    /// The exploration needs a bound on preemptions: without it, the result would have to be a decision of the search.
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

    /// Releases a lock.
    ///
    /// The release isn't a decision, because a thread that waits for the lock is tried at the holder's next step.
    package func unlock(_ address: UInt, at site: Site) {
        let location = unsafe locations.find(address, for: current)
        tick()
        unsafe location.pointee.released.join(clocks[current])
        unsafe location.pointee.isHeld = false
        hasChanged = true
        unsafe order(nextLockAt: location)
        unsafe note("unlocks", location, site)
    }

    /// Wakes one thread that is waiting or will wait for an event.
    ///
    /// A second signal before the thread wakes has no effect.
    package func signal(_ address: UInt, at site: Site) {
        let location = unsafe event(at: address)
        unsafe stopIfContended(at: location, .change)
        tick()
        unsafe location.pointee.released.join(clocks[current])
        unsafe location.pointee.isHeld = false
        unsafe note("signals", location, site)
    }

    /// Waits until an event is signaled, and resets the event.
    package func wait(for address: UInt, at site: Site) {
        let location = unsafe event(at: address)
        unsafe stopIfContended(at: location, .lock)
        if unsafe location.pointee.isHeld { unsafe waitForHolder(of: location) }
        unsafe acquire(location)
        unsafe note("is woken by", location, site)
    }

    /// Waits for a condition without synchronizing, as if the thread arrived at the right time by chance.
    ///
    /// The exploration needs a bound on preemptions, because the locations that the condition reads are unknown.
    package func wait(until condition: @escaping () -> Bool) {
        precondition(
            bound.preemptions != nil || replayed != nil, "a condition is waited for without a bound on preemptions")
        threads[current].condition = condition
        unsafe stop(at: nil, .wait)
        threads[current].condition = nil
    }

    // MARK: Details

    /// Returns the location of an event, which begins as a held lock.
    private func event(at address: UInt) -> UnsafeMutablePointer<Location> {
        let location = unsafe locations.find(address, for: current)
        if unsafe location.pointee.newestStore < 0 {
            unsafe (location.pointee.newestStore, location.pointee.isHeld) = (0, true)
        }
        return unsafe location
    }

    /// Waits for the holder at a location that wasn't known to be contended.
    ///
    /// At a contended location, the thread has already waited.
    private func waitForHolder(of location: UnsafeMutablePointer<Location>) {
        unsafe stop(at: location, .lock)
    }

    private func acquire(_ location: UnsafeMutablePointer<Location>) {
        unsafe location.pointee.isHeld = true
        tick()
        unsafe clocks[current].join(location.pointee.released)
    }
}
