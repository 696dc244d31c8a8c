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

    @inline(never)
    private func floodMark(copying posting: Posting) -> FloodMark? {
        if posting.role == .notice { return nil }
        let stamp = posting.floodStamp
        let moment = stamp?.moment ?? posting.moment.sinceOrigin &+ momentOffset
        // A failure is not folded into an attempt, nor an error into one that a test expects. No scope has such a name.
        let mark = posting.mark.map { "\0\(ObjectIdentifier($0))" }
        if let given = configuration.floodLimit?.fingerprint {
            let text = given(posting.report())
            return FloodMark(.init(given: text + (mark ?? "")), moment: moment)
        }
        let code = stamp?.code ?? ErrorCode(of: posting.error)
        var scope = posting.scope?.forReports.path ?? []
        if posting.role != .failure { scope.append("\0\(posting.role.name)") }
        if let mark { scope.append(mark) }
        return FloodMark(.init(of: code, at: posting.source, in: scope), moment: moment)
    }

    /// Returns the flood mark of a posting; nil for a notice, which passes whatever the limit.
    ///
    /// In most cases this copies no posting.
    /// The worker calls this without the lock, since it may run the user's code.
    @inline(__always)
    func floodMark(of posting: UnsafePointer<Posting>) -> FloodMark? {
        if unsafe hasOwnFingerprint || posting.pointee.hasExtras { return unsafe floodMark(copying: posting.pointee) }
        let (error, source) = unsafe (posting.pointee.error, posting.pointee.source)
        let scope = unsafe posting.pointee.unretainedScope?._withUnsafeGuaranteedRef { $0.forReports.path } ?? []
        let moment = unsafe posting.pointee.moment.sinceOrigin &+ momentOffset
        return FloodMark(.init(of: ErrorCode(of: error), at: source, in: scope), moment: moment)
    }

    /// Wakes the worker at a moment, if no alarm is set that does so by then.
    func setAlarm(_ moment: Duration) {
        let setBackCount = clock.setBackCount()
        let isSet = staff.withLock { staff in
            staff.alarm.map { $0.moment <= moment && $0.setBackCount == setBackCount } ?? false
        }
        if isSet { return }
        // Weak, and without the task-locals that tasks inherit: the clock's sleep may outlast its cancellation.
        let task = Self.unbound {
            Task { [weak self, clock] in
                do { try await clock.sleep(moment) } catch { return }
                self?.alarmRings()
            }
        }
        let former = staff.withLock { staff in
            defer { staff.alarm = Staff.Alarm(moment: moment, setBackCount: setBackCount, task: task) }
            return staff.alarm
        }
        former?.task.cancel()
        if hasEnded { task.cancel() }
    }

    private func alarmRings() {
        let former = staff.withLock { $0.alarm.take() }
        if storage.rouse() { waker.yield() }
        withExtendedLifetime(former) {}
    }
}
