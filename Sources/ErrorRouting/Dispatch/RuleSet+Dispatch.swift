/// A dispatch refers to blocks and rules that live as long as the set; each dispatch keeps the set alive to its end.
extension RuleSet {
    /// Tries the rules in order, unless errors of this type could reach an asynchronous one.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isAttempt: Whether the error is that of an attempt; only `always` actions run for it.
    ///   - reporter: The maker of the error's report.
    /// - Returns: The outcome; nil, before any action has run, if the error could reach an asynchronous rule.
    @inline(__always)
    func dispatchIfSynchronous(
        _ error: any Error, isAttempt: Bool = false, _ reporter: @autoclosure () -> DispatchReporter
    ) -> HandleOutcome? {
        defer { withExtendedLifetime(self) {} }
        let path = path
        if isAttempt {
            if path.read({ $0.hasAsynchronous(.always) }) { return nil }
        } else if path.read({ $0.mayBeAsynchronous(for: error) }) {
            return nil
        }
        var runner = RuleRunner(path, reporter(), isAttempt: isAttempt)
        // Stop before asynchronous `onNoMatch` rules: if user code is nested too deeply, even a rule for every error of
        // the type doesn't match, and no action has run.
        return runner.run(error, mustNotSuspend: true) == .completed ? runner.outcome : nil
    }

    /// Tries the rules in order on the caller's executor, without a time limit.
    @inline(__always)
    func dispatch(
        _ error: any Error, isAttempt: Bool = false, _ reporter: @autoclosure () -> DispatchReporter
    ) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        var runner = RuleRunner(path, reporter(), isAttempt: isAttempt)
        _ = await runner.finish(UnboxedError(error), under: nil)
        return runner.outcome
    }

    /// Looks up the value of the first matching rule in the rules of an error map.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - value: Set to the rule's value; unchanged if no rule matches.
    /// - Returns: The rule, which lives as long as this set; nil if none matches.
    @inline(__always)
    func find<Value: Sendable>(_ error: any Error, _ value: inout Value) -> Borrowed<Rule>? {
        defer { withExtendedLifetime(self) {} }
        var runner = RuleRunner(path, DispatchReporter())
        return runner.find(error, &value)
    }
}
