/// A dispatch refers to blocks and rules that live as long as the set, which each dispatch keeps alive to its end.
extension RuleSet {
    /// Tries the rules in order, unless by the error's type alone an asynchronous one could be reached.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isAttempt: Whether the error is that of an attempt, for which only `always` actions run.
    ///   - notes: What the dispatch knows of the error.
    /// - Returns: The outcome; nil, and no action has run, if an asynchronous rule could be reached.
    @inline(__always)
    func dispatchIfSynchronous(
        _ error: any Error, isAttempt: Bool = false, _ notes: @autoclosure () -> DispatchNotes
    ) -> HandleOutcome? {
        defer { withExtendedLifetime(self) {} }
        let path = path
        if isAttempt {
            if path.read({ $0.hasAsynchronous(.always) }) { return nil }
        } else if path.read({ $0.mayBeAsynchronous(for: error) }) {
            return nil
        }
        var cursor = DispatchCursor(path, notes(), isAttempt: isAttempt)
        // A rule that matches every error of the type may be refused, where matchers are nested too deep, and asynchronous
        // `onNoMatch` rules reached: then no action has run.
        return cursor.run(error, mustNotSuspend: true) == .completed ? cursor.outcome : nil
    }

    /// Tries the rules in order on the caller's executor, without a time limit.
    @inline(__always)
    func dispatch(
        _ error: any Error, isAttempt: Bool = false, _ notes: @autoclosure () -> DispatchNotes
    ) async -> HandleOutcome {
        defer { withExtendedLifetime(self) {} }
        var cursor = DispatchCursor(path, notes(), isAttempt: isAttempt)
        _ = await cursor.finish(error, under: nil)
        return cursor.outcome
    }

    /// Looks up the value of the first rule that matches; the rules must be those of an error map.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - value: Set to the rule's value; unchanged if no rule matches.
    /// - Returns: The rule, which lives as long as this set; nil if none matches.
    func find<Value: Sendable>(_ error: any Error, _ value: inout Value) -> Borrowed<Rule>? {
        defer { withExtendedLifetime(self) {} }
        var cursor = DispatchCursor(path, DispatchNotes())
        return cursor.find(error, &value)
    }
}
