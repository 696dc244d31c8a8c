/// Flood marks, and the alarm that wakes the worker when a window ends.
extension ErrorBus {
    /// Returns what the poster has to find out for the flood limit; nil if the worker can find it out from the posting.
    @inline(never)
    func floodStamp(for error: any Error) -> Posting.FloodStamp? {
        // By a clock other than the system's, the worker cannot tell the moment of the post. And an error that is asked
        // for its code may post itself again: if the worker asked, that would never end; in the poster the depth of
        // such calls is bounded.
        if clock.isContinuous, !PerThread.isInMatcher { return nil }
        return Posting.FloodStamp(code: ErrorCode(of: error), moment: clock.now().nanoseconds)
    }

    /// Returns a posting's flood mark; the worker calls this without the lock, since it may run the user's code.
    @inline(never)
    func floodMark(of posting: Posting) -> FloodMark {
        let stamp = posting.floodStamp
        let moment = stamp?.moment ?? posting.moment.sinceOrigin &+ momentOffset
        if let given = configuration.floodLimit?.fingerprint {
            return FloodMark(.init(given: given(posting.report())), moment: moment)
        }
        let code = stamp?.code ?? ErrorCode(of: posting.error)
        return FloodMark(.init(of: posting.error, code: code, at: posting.source), moment: moment)
    }

    /// Returns the flood mark of a posting in the lane, which in most cases is not copied.
    @inline(__always)
    func floodMark(of posting: UnsafePointer<Posting>) -> FloodMark {
        if unsafe hasOwnFingerprint || posting.pointee.hasExtras { return unsafe floodMark(of: posting.pointee) }
        let (error, source) = unsafe (posting.pointee.error, posting.pointee.source)
        let moment = unsafe posting.pointee.moment.sinceOrigin &+ momentOffset
        return FloodMark(.init(of: error, code: ErrorCode(of: error), at: source), moment: moment)
    }

    /// Wakes the worker at a moment.
    func setAlarm(_ moment: Duration) {
        // Weak, and without the task-locals that tasks inherit: the clock's sleep may outlast its cancellation.
        let alarm = Self.unbound {
            Task { [weak self, clock] in
                try? await clock.sleep(moment)
                self?.alarmRings()
            }
        }
        staff.withLock { $0.alarm = alarm }
        if hasEnded { alarm.cancel() }
    }

    private func alarmRings() {
        if storage.alarmRang() { waker.yield() }
    }
}
