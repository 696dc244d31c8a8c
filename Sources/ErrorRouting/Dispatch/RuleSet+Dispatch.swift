/// A dispatch refers to programs and rules that live as long as the set, which each dispatch keeps alive to its end.
extension RuleSet {
    /// Tries the rules in order, unless by the error's type alone an asynchronous one could be reached.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - report: The error's report.
    /// - Returns: The outcome; nil, and no action has run, if an asynchronous rule could be reached.
    @inline(__always)
    func dispatchIfSynchronous(_ error: any Error, _ report: @autoclosure () -> LazyReport) -> HandleOutcome? {
        defer { withExtendedLifetime(self) {} }
        let program = unsafe reference.program
        let first = unsafe FirstRule(of: program, for: error, declines: true)
        if first.kind == .declined { return nil }
        if unsafe first.isOver(in: program) { return first.outcome }
        return unsafe goOn(error, program, report(), .decline, after: first)
    }

    /// Tries the rules in order without suspending, unless an asynchronous one is for the error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - report: The error's report.
    /// - Returns: The outcome; nil, and no action has run, if an asynchronous rule is for the error.
    func dispatchSynchronously(_ error: any Error, _ report: @autoclosure () -> LazyReport) -> HandleOutcome? {
        if let outcome = dispatchIfSynchronous(error, report()) { return outcome }
        defer { withExtendedLifetime(self) {} }
        // No error is handled without suspending then, so no rule is asked.
        if unsafe reference.program._withUnsafeGuaranteedRef({ $0.hasAsynchronousAlways }) { return nil }
        var report = report()
        var progress = DispatchProgress()
        let found = unsafe DispatchWalk.goOn(error, through: reference.program, &report, from: &progress, .find)
        if found == .needsSuspension { return nil }
        progress = DispatchProgress()
        _ = unsafe DispatchWalk.goOn(error, through: reference.program, &report, from: &progress, .skip)
        return progress.outcome
    }

    @inline(never)
    private func goOn(
        _ error: any Error, _ program: Unmanaged<DispatchProgram>, _ report: consuming LazyReport,
        _ asynchronousRules: DispatchWalk.AsynchronousRules, after first: FirstRule
    ) -> HandleOutcome? {
        var progress = DispatchProgress()
        first.record(for: error, &report, into: &progress)
        let end = unsafe DispatchWalk.goOn(error, through: program, &report, from: &progress, asynchronousRules)
        return end == .completed ? progress.outcome : nil
    }

    /// Tries the rules in order on the caller's executor, without a time limit, after ``dispatchIfSynchronous(_:_:)``.
    @inline(__always)
    func dispatch(_ error: any Error, _ report: @autoclosure () -> LazyReport) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        let program = unsafe reference.program
        let error = ErrorBox.unboxed(error)
        var first = unsafe FirstRule(of: program, for: error, isUse: false)
        await first.actSuspending(on: error)
        if unsafe first.isOver(in: program) { return first.outcome }
        return await unsafe goOnSuspending(error, program, report(), after: first)
    }

    @inline(never)
    private func goOnSuspending(
        _ error: any Error, _ program: Unmanaged<DispatchProgram>, _ report: consuming LazyReport,
        after first: FirstRule
    ) async -> HandleOutcome {
        var progress = DispatchProgress()
        first.record(for: error, &report, into: &progress)
        var walk = unsafe DispatchWalk(program, on: nil, error, from: progress)
        _ = await walk.finish(report, under: nil)
        return walk.progress.outcome
    }

    /// Looks up the value of the first rule that matches; the rules must be those of an error map.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - value: Set to the rule's value; unchanged if no rule matches.
    /// - Returns: The rule, which lives as long as this set; nil if none matches.
    @inline(__always)
    func look<Value: Sendable>(for error: any Error, _ value: UnsafeMutablePointer<Value>) -> Unmanaged<Rule>? {
        unsafe look(for: error, givingTo: value)
    }

    @inline(never)
    private func look(for error: any Error, givingTo value: UnsafeMutableRawPointer) -> Unmanaged<Rule>? {
        defer { withExtendedLifetime(self) {} }
        let program = unsafe reference.program
        let first = unsafe FirstRule(of: program, for: error, value)
        if unsafe first.isOver(in: program) { return unsafe first.rule }
        var report = unsafe LazyReport(givingTo: value)
        var progress = DispatchProgress()
        first.record(for: error, &report, into: &progress)
        _ = unsafe DispatchWalk.goOn(error, through: program, &report, from: &progress, .wait)
        return unsafe progress.decisive
    }
}
