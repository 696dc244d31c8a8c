/// The search without a bound on preemptions, which explores only one of several equivalent schedules.
///
/// Schedules are equivalent if they differ only in the order of independent steps.
///
/// Two steps of different threads depend on each other if they are at the same location and at least one of them isn't
/// a load. If a step depends on an earlier step and other steps don't order the two, they *race*, and another schedule
/// must take them in the opposite order. The search finds the threads with which such a schedule can begin, and
/// requests that one of them is tried at the decision for the earlier step. This is dynamic partial-order reduction
/// with source sets (Abdulla, Aronsson, Jonsson, and Sagonas, 2014).
///
/// A thread that was tried at a decision *sleeps* in the other alternatives until another thread takes a step on which
/// the sleeping thread's next step depends. The search has already explored what the thread could do before that.
extension Explorer {
    /// A step that was taken.
    struct Event {
        let thread: Int
        /// The step's number among the thread's steps.
        let time: UInt16
        /// The step itself and all steps on which it depends, directly or indirectly.
        let order: VectorClock
        /// The step's position in the path of decisions.
        let depth: Int
    }

    /// The last steps at a location.
    struct Dependence {
        /// The last step that wasn't a load, as an index into the events.
        var change: Int32 = -1
        /// All steps on which a later step at the location depends.
        var changeOrder = VectorClock()
        /// Each thread's last load since that step; -1 if there was none.
        var loads = SIMD8<Int32>(repeating: -1)
        /// These loads and all steps on which they depend.
        var loadOrder = VectorClock()
    }

    @inline(__always)
    /// Decides which of the ready threads takes its next step and records that step.
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

    /// Records a thread's step and requests the reversal of the step's races.
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
        // Reverse only the loads since the last change: earlier loads were already reversed together with that change.
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

    /// Requests the opposite order of an event and the newest event if the newest event's thread didn't know the event.
    @inline(__always)
    private func reverse(_ index: Int32, unknownTo order: VectorClock) {
        if index < 0 { return }
        let event = events[Int(index)]
        if order[event.thread] < event.time { reverse(event, Int(index)) }
    }

    @inline(never)
    private func reverse(_ event: Event, _ index: Int) {
        // In the other schedule, the later events that don't depend on this event come before it, followed by the
        // newest event. Find the threads with which such a schedule can begin.
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
        // Try all ready threads if the newest step was impossible before the event: any of them might make it possible.
        path[event.depth].wanted |= possible == 0 ? decision.ready : possible & (0 &- possible)
    }

    /// Records that the next acquisition of a lock comes after the holder's steps so far.
    @inline(__always)
    func order(nextLockAt location: UnsafeMutablePointer<Location>) {
        if bound.preemptions == nil { unsafe location.pointee.dependence.changeOrder.join(orders[current]) }
    }
}
