/// What a walk refers to lives as long as the set, which each dispatch holds to its end.
extension RuleSet {
    /// Tries the rules in order, if by the error's type alone none of them can be asynchronous; else returns nil, and
    /// none has been tried.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - origin: What its report is made of.
    @inline(__always)
    func dispatchIfSynchronous<Origin: ReportMaker>(
        _ error: any Error, _ origin: @autoclosure () -> Origin
    ) -> HandleOutcome? {
        defer { withExtendedLifetime(self) {} }
        return unsafe DispatchWalk.runIfSynchronous(error, through: unretainedProgram, origin())
    }

    /// Tries the rules in order without suspending, if none that could run is asynchronous.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - origin: What its report is made of.
    /// - Returns: The outcome; or nil, and no action has run.
    func dispatchSynchronously<Origin: ReportMaker>(_ error: any Error, _ origin: Origin) -> HandleOutcome? {
        if let outcome = dispatchIfSynchronous(error, origin) { return outcome }
        defer { withExtendedLifetime(self) {} }
        var walk = unsafe DispatchWalk(programInUse, on: nil, error, from: DispatchProgress())
        if walk.needsSuspension() { return nil }
        unsafe withUnsafePointer(to: origin) { origin in
            var report = unsafe LazyReport(keptAt: origin, by: Origin.self)
            _ = walk.finish(&report, ifAsynchronous: .skip, under: nil)
        }
        return walk.progress.outcome
    }

    /// Tries the rules in order, on the caller's executor, without anyone to limit their time.
    func dispatch<Origin: ReportMaker>(_ error: any Error, _ origin: Origin) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        return await unsafe DispatchWalk.run(error, through: programInUse, origin)
    }
}
