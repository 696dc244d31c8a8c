/// Models atomics according to the C++ memory model, which Swift uses too.
///
/// The model keeps all values that were stored to an atomic. A load can find any of these values unless the store that
/// replaced it happened before the load.
///
/// A load never finds a value that is stored later, and all threads observe the stores to an atomic in the order of the
/// steps. So load buffering and the special effects of sequential consistency aren't explored.
extension Explorer {
    /// Returns the value that a load finds, which is the newest value or a value that it replaced.
    package func load(_ address: UInt, _ newest: UInt64, acquires: Bool, at site: Site) -> UInt64 {
        let location = unsafe atomic(at: address, newest)
        unsafe stopIfContended(at: location, .read)
        unsafe checkInitialized(location, site)
        var index = unsafe location.pointee.newestStore
        var older = 0
        if unsafe location.pointee.isContended {
            var oldest = index
            while let next = olderStore(than: oldest) { (oldest, older) = (next, older + 1) }
        }
        if older > 0 { for _ in 0..<nextStaleness(upTo: older) { index = stores[Int(index)].previous } }
        let bits = find(index, acquires)
        unsafe note("loads", location, site, bits)
        return bits
    }

    /// Stores a value that replaces the former value.
    package func store(_ address: UInt, _ former: UInt64, _ new: UInt64, releases: Bool, at site: Site) {
        let location = unsafe atomic(at: address, former)
        unsafe stopIfContended(at: location, .change)
        unsafe checkInitialized(location, site)
        let time = tick()
        unsafe add(new, to: location, time, releasing: releases ? clocks[current] : VectorClock())
        unsafe note("stores", location, site, new)
    }

    /// Replaces the newest value with a closure's result for it.
    ///
    /// If the closure returns nil, the access is only a load. Such a load can also find an older value for which the
    /// closure returns nil.
    ///
    /// - Returns: The value that was found, and the value that replaces it; nil if it isn't replaced.
    package func change(
        _ address: UInt, _ newest: UInt64, acquires: Bool, releases: Bool, acquiresOnFailure: Bool,
        at site: Site, _ transform: (UInt64) -> UInt64?
    ) -> (found: UInt64, new: UInt64?) {
        let location = unsafe atomic(at: address, newest)
        unsafe stopIfContended(at: location, .change)
        unsafe checkInitialized(location, site)
        var index = unsafe location.pointee.newestStore
        let found = stores[Int(index)].bits
        guard let new = transform(found) else {
            var older: [Int32] = []
            if unsafe location.pointee.isContended {
                var next = index
                while let store = olderStore(than: next) {
                    if transform(stores[Int(store)].bits) == nil { older.append(store) }
                    next = store
                }
            }
            if !older.isEmpty {
                let staleness = nextStaleness(upTo: older.count)
                if staleness > 0 { index = older[staleness - 1] }
            }
            let bits = find(index, acquiresOnFailure)
            unsafe note("does not replace", location, site, bits)
            return (bits, nil)
        }
        let time = tick()
        let former = stores[Int(index)].released
        if acquires { clocks[current].join(former) }
        // Continue the release sequence, as every access does that reads and writes in one step.
        var released = former
        if releases { released.join(clocks[current]) }
        unsafe add(new, to: location, time, releasing: released)
        unsafe note("replaces", location, site, found, new)
        return (found, new)
    }

    // MARK: Stores

    /// Returns the location of an atomic.
    ///
    /// Each thread that can access the initialized atomic also knows its first store.
    @inline(__always)
    private func atomic(at address: UInt, _ bits: UInt64) -> UnsafeMutablePointer<Location> {
        var location = unsafe locations.find(address, for: current)
        // The memory contains the newest value. If it doesn't, another atomic is now at this address: the compiler
        // moved the former atomic before its `deinit`, so the explorer forgot a different address.
        if unsafe location.pointee.newestStore >= 0, unsafe stores[Int(location.pointee.newestStore)].bits != bits {
            locations.forget(address)
            location = unsafe locations.find(address, for: current)
        }
        if unsafe location.pointee.newestStore < 0 {
            var seen = VectorClock()
            if unsafe location.pointee.plainWrite > 0 {
                seen = .never
                unsafe seen[location.pointee.plainWriter] = unsafe location.pointee.plainWrite
            }
            unsafe location.pointee.newestStore = Int32(stores.count)
            stores.append(Store(bits: bits, released: VectorClock(), seen: seen, previous: -1))
        }
        return unsafe location
    }

    /// Returns the store before a given store if the current thread can still find it.
    @inline(__always)
    private func olderStore(than index: Int32) -> Int32? {
        let store = stores[Int(index)]
        if store.previous < 0 || any(store.seen .<= clocks[current]) { return nil }
        return store.previous
    }

    /// Returns a store's value and records that the current thread knows the store from now on.
    @inline(__always)
    private func find(_ index: Int32, _ acquires: Bool) -> UInt64 {
        let time = tick()
        let index = Int(index)
        if stores[index].seen[current] > time { stores[index].seen[current] = time }
        if acquires { clocks[current].join(stores[index].released) }
        return stores[index].bits
    }

    @inline(__always)
    private func add(
        _ bits: UInt64, to location: UnsafeMutablePointer<Location>, _ time: UInt16, releasing released: VectorClock
    ) {
        var seen = VectorClock.never
        seen[current] = time
        let previous = unsafe location.pointee.newestStore
        unsafe location.pointee.newestStore = Int32(stores.count)
        stores.append(Store(bits: bits, released: released, seen: seen, previous: previous))
        hasChanged = true
    }

    private func checkInitialized(_ location: UnsafeMutablePointer<Location>, _ site: Site) {
        let (writer, time) = unsafe (location.pointee.plainWriter, location.pointee.plainWrite)
        if time > clocks[current][writer] {
            unsafe note("uses before its initialization is published", location, site)
            fail("an atomic is used by thread \(current) before its initialization by thread \(writer) is published")
        }
    }

    // MARK: Competition

    /// Makes the current thread's access a decision of the search if threads compete at its location.
    @inline(__always)
    func stopIfContended(at location: UnsafeMutablePointer<Location>, _ step: Step) {
        if unsafe location.pointee.isContended {
            unsafe stop(at: location, step)
        } else {
            let clock = clocks[current]
            if unsafe location.pointee.changes.isAhead(of: clock)
                || step != .read && location.pointee.reads.isAhead(of: clock)
            {
                // Make the order of these accesses a decision from now on, because nothing else orders them.
                unsafe locations.setContended(location.pointee.name)
                unsafe location.pointee.isContended = true
                isToBeginAnew = true
            }
        }
        let time = clocks[current][current] + 1
        if step == .read {
            unsafe location.pointee.reads[current] = time
        } else {
            unsafe location.pointee.changes[current] = time
        }
    }

    /// Counts an event of the current thread and returns its number.
    @inline(__always)
    @discardableResult
    func tick() -> UInt16 {
        clocks[current][current] += 1
        return clocks[current][current]
    }
}
