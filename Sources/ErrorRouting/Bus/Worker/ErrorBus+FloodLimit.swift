/// What a flood limit goes by, and waking the worker when a window ends.
extension ErrorBus {
    /// What the poster has to find out for the flood limit; nil for nothing, since the worker can do so from what was
    /// posted.
    @inline(never)
    func floodStamp(for error: any Error) -> Posting.FloodStamp? {
        // The worker does not know what time it was by another clock. And it does not ask an error that is posted by
        // one which is being asked: if these are the same, that would go on for ever; here it ends.
        if clock.isContinuous, !PerThread.isInMatcher { return nil }
        return Posting.FloodStamp(code: ErrorCode(of: error), moment: clock.now().nanoseconds)
    }

    /// What the flood limit goes by; may run code of the user's, so it is the worker's part, under no lock.
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

    /// The same of what lies in the lane, which for most is not copied.
    @inline(__always)
    func floodMark(of posting: UnsafePointer<Posting>) -> FloodMark {
        if unsafe hasOwnFingerprint || posting.pointee.hasExtras { return unsafe floodMark(of: posting.pointee) }
        let (error, source) = unsafe (posting.pointee.error, posting.pointee.source)
        let moment = unsafe posting.pointee.moment.sinceOrigin &+ momentOffset
        return FloodMark(.init(of: error, code: ErrorCode(of: error), at: source), moment: moment)
    }

    func setAlarm(_ moment: Duration) {
        // Weak, and without the bindings that tasks inherit: the clock need not honour cancellation.
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
