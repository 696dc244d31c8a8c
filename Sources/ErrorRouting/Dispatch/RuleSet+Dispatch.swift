/// A dispatch refers to blocks and rules that live as long as the set, which each dispatch keeps alive to its end.
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
        let path = path
        let first = unsafe FirstRule(on: path, for: error, declines: true)
        if first.kind == .declined { return nil }
        if first.isOver(on: path) { return first.outcome }
        return goOn(error, path, report(), after: first)
    }

    @inline(never)
    private func goOn(
        _ error: any Error, _ path: Borrowed<BlockPath>, _ report: consuming LazyReport, after first: FirstRule
    ) -> HandleOutcome? {
        var progress = DispatchProgress()
        first.record(for: error, &report, into: &progress)
        return DispatchWalk.goOn(error, through: path, &report, from: &progress) == .completed ? progress.outcome : nil
    }

    /// Tries the rules in order on the caller's executor, without a time limit, after ``dispatchIfSynchronous(_:_:)``.
    @inline(__always)
    func dispatch(_ error: any Error, _ report: @autoclosure () -> LazyReport) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        let path = path
        let error = ErrorBox.unboxed(error)
        var first = unsafe FirstRule(on: path, for: error)
        await first.actSuspending(on: error)
        if first.isOver(on: path) { return first.outcome }
        return await goOnSuspending(error, path, report(), after: first)
    }

    @inline(never)
    private func goOnSuspending(
        _ error: any Error, _ path: Borrowed<BlockPath>, _ report: consuming LazyReport, after first: FirstRule
    ) async -> HandleOutcome {
        var progress = DispatchProgress()
        first.record(for: error, &report, into: &progress)
        var walk = DispatchWalk(path, error, from: progress)
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
    func look<Value: Sendable>(for error: any Error, _ value: UnsafeMutablePointer<Value>) -> Borrowed<Rule>? {
        unsafe look(for: error, givingTo: value)
    }

    @inline(never)
    private func look(for error: any Error, givingTo value: UnsafeMutableRawPointer) -> Borrowed<Rule>? {
        defer { withExtendedLifetime(self) {} }
        let path = path
        let first = unsafe FirstRule(on: path, for: error, value)
        if first.isOver(on: path) { return first.rule }
        var report = unsafe LazyReport(givingTo: value)
        var progress = DispatchProgress()
        first.record(for: error, &report, into: &progress)
        _ = DispatchWalk.goOn(error, through: path, &report, from: &progress)
        return progress.decisive
    }
}
