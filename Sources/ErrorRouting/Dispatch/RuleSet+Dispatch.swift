/// What a walk refers to lives as long as the set, which each dispatch holds to its end.
extension RuleSet {
    /// Tries the rules in order, on the caller's executor, without anyone to limit their time.
    ///
    /// For errors that an asynchronous rule could match; the others need not pay for a function that may suspend.
    func dispatch(_ error: any Error, _ report: LazyReport) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        var walk = unsafe DispatchWalk(unretainedProgram, error, from: DispatchProgress())
        var report = report
        while let step = walk.next() {
            if walk.progress.stage == .always { report.carry(walk.progress.outcome) }
            do {
                let answer =
                    step.isAsynchronous
                    ? try await step.answer(&walk.subject, report.made(for: error), watch: nil)
                    : try step.answerSynchronously(&walk.subject, &report, under: nil)
                unsafe walk.record(answer, of: step.rule)
            } catch {
                unsafe walk.record(error, &report, of: step.rule)
            }
        }
        return walk.progress.outcome
    }

    /// Tries the rules in order, if by the error's type alone none of them can be asynchronous; else returns nil, and
    /// none has been tried.
    @inline(never)
    func dispatchIfSynchronous(_ error: any Error, _ report: inout LazyReport) -> HandleOutcome? {
        defer { withExtendedLifetime(self) {} }
        let program = unsafe unretainedProgram
        let subject = ErrorSubject(error)
        let plan = unsafe DispatchWalk.plan(for: subject.type, subject.error, in: program)
        if unsafe DispatchWalk.mayBeAsynchronous(plan, in: program) { return nil }
        var walk = unsafe DispatchWalk(program, consume subject, plan, from: DispatchProgress())
        Self.finish(&walk, &report)
        return walk.progress.outcome
    }

    /// Tries the rules in order without suspending, if none that could run is asynchronous.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - report: What is handed to the actions.
    /// - Returns: The outcome; or nil, and no action has run.
    @inline(never)
    func dispatchSynchronously(_ error: any Error, _ report: LazyReport) -> HandleOutcome? {
        defer { withExtendedLifetime(self) {} }
        var walk = unsafe DispatchWalk(unretainedProgram, error, from: DispatchProgress())
        if walk.mayBeAsynchronous, walk.needsSuspension() { return nil }
        var report = report
        Self.finish(&walk, &report)
        return walk.progress.outcome
    }

    /// Goes through the synchronous rules to the end.
    @inline(__always)
    private static func finish(_ walk: inout DispatchWalk, _ report: inout LazyReport) {
        while let step = walk.next() {
            // An asynchronous rule is known not to match, so it is not asked a second time.
            if step.isAsynchronous { continue }
            if walk.progress.stage == .always { report.carry(walk.progress.outcome) }
            do {
                unsafe walk.record(try step.answerSynchronously(&walk.subject, &report, under: nil), of: step.rule)
            } catch {
                unsafe walk.record(error, &report, of: step.rule)
            }
        }
    }
}
