/// Dispatches along a path, which the caller must keep alive: blocks and rules live as long as the path's rule sets.
extension Borrowed<BlockPath> {
    /// Tries the rules in order, unless errors of this type could reach an asynchronous rule.
    ///
    /// Returns the outcome. If the error could reach an asynchronous rule, returns nil before any action has run.
    @inline(__always)
    func dispatchIfSynchronous(_ error: any Error, _ reporter: @autoclosure () -> DispatchReporter) -> HandleOutcome? {
        if self.read({ $0.mayBeAsynchronous(for: error) }) { return nil }
        var runner = RuleRunner(self, reporter())
        let isSuspended = runner.run(error)
        assert(!isSuspended, "an error reached an asynchronous rule that its type excludes")
        return isSuspended ? nil : runner.outcome
    }

    /// Tries the rules in order, on the caller's executor and without a time limit.
    ///
    /// If the error was posted as an attempt, only `always` actions run for it.
    @inline(__always)
    func dispatch(
        _ error: any Error, isAttempt: Bool = false, _ reporter: @autoclosure () -> DispatchReporter
    ) async -> HandleOutcome {
        var runner = RuleRunner(self, reporter(), isAttempt: isAttempt)
        if runner.run(error) { await runner.finish(UnboxedError(error), under: nil) }
        return runner.outcome
    }

    /// Finds the first matching rule of an error map and sets the value to the rule's value.
    ///
    /// If no rule matches, the result is nil and the value is unchanged.
    @inline(__always)
    func find<Value: Sendable>(_ error: any Error, _ value: inout Value) -> Borrowed<Rule>? {
        read { path in
            func find<Content: Error>(_ content: Content) -> Borrowed<Rule>? {
                Content.self == (any Error).self
                    ? self.find(UnboxedError(error).error, &value)
                    : path.find(content, UnboxedError(opened: error), &value)
            }
            return _openExistential(error, do: find)
        }
    }
}

extension BlockPath {
    @inline(__always)
    fileprivate func find<Content: Error, Value: Sendable>(
        _ content: Content, _ error: UnboxedError, _ value: inout Value
    ) -> Borrowed<Rule>? {
        var search = RuleSearch()
        var reporter = DispatchReporter(.none)
        while let step = search.next(for: content, error, on: self, &reporter) {
            let isMatch = step.rule.read { rule in
                // Downcast without a check: all rules of a map are map rules.
                let rule = unsafe unsafeDowncast(rule, to: MapRule<Value>.self)
                return step.isKnown(of: Content.self)
                    ? rule.setValue(for: content, error, to: &value)
                    : rule.callMatcherAndSetValue(error, &reporter, to: &value)
            }
            if isMatch { return step.rule }
        }
        return nil
    }
}
