/// Plain memory: each access must be ordered with each write by another thread.
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
        // The earlier values of an atomic don't matter to the new object there.
        unsafe location.pointee.newestStore = -1
        unsafe (location.pointee.plainWriter, location.pointee.plainWrite) = (current, tick())
    }

    /// Forgets an address when its memory ends.
    package func forget(_ address: UInt) { locations.forget(address) }

    private func checkOrder(of access: String, _ location: UnsafeMutablePointer<Location>, _ site: Site) {
        let (writer, time) = unsafe (location.pointee.plainWriter, location.pointee.plainWrite)
        if time > clocks[current][writer] {
            unsafe note(access, location, site)
            fail("a race: thread \(current) \(access) what thread \(writer) wrote, at \(site.file):\(site.line)")
        }
    }
}
