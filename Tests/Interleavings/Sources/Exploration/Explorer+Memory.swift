/// Checks that each access to plain memory is ordered with each write by another thread.
extension Explorer {
    package func read(_ address: UInt, at site: Site) {
        let location = unsafe locations.find(address, for: current)
        unsafe checkOrder(of: "reads", location, site)
        unsafe location.pointee.plainReads[current] = tick()
    }

    package func write(_ address: UInt, at site: Site) {
        let location = unsafe locations.find(address, for: current)
        unsafe checkOrder(of: "writes", location, site)
        if unsafe location.pointee.plainReads.isAhead(of: clocks[current]) {
            unsafe note("writes", location, site)
            fail("a race: thread \(current) writes what another one reads, at \(site.file):\(site.line)")
        }
        // Forget the stores: earlier values of an atomic don't belong to the new object at this address.
        unsafe location.pointee.newestStore = -1
        unsafe (location.pointee.plainWriter, location.pointee.plainWrite) = (current, tick())
    }

    /// Forgets an address because its memory is freed.
    package func forget(_ address: UInt) { locations.forget(address) }

    /// Fails unless the current thread knows the last write to a location.
    private func checkOrder(of access: String, _ location: UnsafeMutablePointer<Location>, _ site: Site) {
        let (writer, time) = unsafe (location.pointee.plainWriter, location.pointee.plainWrite)
        if time > clocks[current][writer] {
            unsafe note(access, location, site)
            fail("a race: thread \(current) \(access) what thread \(writer) wrote, at \(site.file):\(site.line)")
        }
    }
}
