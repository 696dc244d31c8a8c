/// The search without a bound on preemptions. Of schedules that differ only in the order of independent steps, it
/// explores one.
///
/// Two steps of different threads depend on each other if they are at one location and one of them isn't a load. If a
/// step depends on an earlier one and nothing else orders the two, they *race*, and some schedule must take them in the
/// opposite order. The search finds the threads that such a schedule can begin with, and lets one of them be tried
/// where the earlier step was decided. This is the dynamic partial-order reduction by source sets (Abdulla, Aronsson,
/// Jonsson, and Sagonas, 2014).
///
/// A thread that was tried at a decision also *sleeps* in the other alternatives, until another thread takes a step
/// that its own step depends on. Everything that it could do before that was already explored.
extension Explorer {
    /// A step that was taken.
    struct Event {
        let thread: Int
        /// Its number among the thread's steps.
        let time: UInt16
        /// All steps that it depends on, directly or indirectly, and itself.
        let order: VectorClock
        /// Its position in the path of decisions.
        let depth: Int
    }

    /// The last steps at a location.
    struct Dependence {
        /// The last step that wasn't a load, as an index of the events.
        var change: Int32 = -1
        /// All steps that a later step at the location depends on.
        var changeOrder = VectorClock()
        /// The last load of each thread since then; -1 if there was none.
        var loads = SIMD8<Int32>(repeating: -1)
        var loadOrder = VectorClock()
    }

    @inline(__always)
    func nextByDependence(among ready: UInt8) -> Int {
        if isRedundant { return preferred(of: ready) }
        if depth == path.count {
            let awake = ready & ~asleep
            if awake == 0 {
                isRedundant = true
                return preferred(of: ready)
            }
            let first = preferred(of: awake)
            path.append(
                Decision(chosen: UInt8(first), wanted: 1 << UInt8(first), ready: ready, asleep: asleep))
        }
        let next = Int(path[depth].chosen)
        asleep |= path[depth].tried
        wakeThreads(by: next)
        unsafe take(threads[next].step, of: next, at: threads[next].location)
        depth += 1
        return next
    }

    /// Wakes the threads whose next step depends on the next step of a thread.
    @inline(__always)
    private func wakeThreads(by next: Int) {
        var left = asleep
        while left != 0 {
            let index = left.trailingZeroBitCount
            left &= left - 1
            guard let location = unsafe threads[index].location, unsafe location == threads[next].location,
                threads[index].step != .read || threads[next].step != .read
            else { continue }
            asleep &= ~(1 << UInt8(index))
        }
    }

    /// Records a thread's step, and requests the reversal of the step's races.
    @inline(__always)
    private func take(_ step: Step, of thread: Int, at location: UnsafeMutablePointer<Location>?) {
        let former = orders[thread]
        var order = former
        order[thread] += 1
        guard let location = unsafe location else {
            orders[thread] = order
            events.append(Event(thread: thread, time: order[thread], order: order, depth: depth))
            return
        }
        let dependence = unsafe location.pointee.dependence
        order.join(dependence.changeOrder)
        if step != .read { order.join(dependence.loadOrder) }
        let index = Int32(events.count)
        events.append(Event(thread: thread, time: order[thread], order: order, depth: depth))
        // Loads before the last change were already reversed together with the change.
        if step == .read || dependence.loads == SIMD8(repeating: -1) {
            reverse(dependence.change, unknownTo: former)
        } else {
            for other in 1..<threadCount { reverse(dependence.loads[other], unknownTo: former) }
        }
        if step == .read {
            unsafe location.pointee.dependence.loads[thread] = index
            unsafe location.pointee.dependence.loadOrder.join(order)
        } else {
            unsafe location.pointee.dependence = Dependence(change: index, changeOrder: order)
        }
        orders[thread] = order
    }

    /// Requests the opposite order of an event and the newest event, unless the newest event's thread knew the other.
    @inline(__always)
    private func reverse(_ index: Int32, unknownTo order: VectorClock) {
        if index < 0 { return }
        let event = events[Int(index)]
        if order[event.thread] < event.time { reverse(event, Int(index)) }
    }

    @inline(never)
    private func reverse(_ event: Event, _ index: Int) {
        // The events after this one that don't depend on it could have come before it, followed by the newest event.
        // Find the threads that such a schedule can begin with.
        var (firsts, seen) = (UInt8(0), VectorClock.never)
        for later in events[(index + 1)...] {
            let isNewest = later.depth == depth
            if !isNewest, later.order[event.thread] >= event.time { continue }
            if seen[later.thread] != .max { continue }
            if !any(later.order .>= seen) { firsts |= 1 << UInt8(later.thread) }
            seen[later.thread] = later.time
        }
        let decision = path[event.depth]
        if firsts & (decision.wanted | decision.tried | decision.asleep) != 0 { return }
        let possible = firsts & decision.ready
        // If the newest step was impossible before the event, any thread might make it possible.
        path[event.depth].wanted |= possible == 0 ? decision.ready : possible & (0 &- possible)
    }

    /// Records that the next thread to lock comes after the holder's steps so far.
    @inline(__always)
    func order(nextLockAt location: UnsafeMutablePointer<Location>) {
        if bound.preemptions == nil { unsafe location.pointee.dependence.changeOrder.join(orders[current]) }
    }
}
