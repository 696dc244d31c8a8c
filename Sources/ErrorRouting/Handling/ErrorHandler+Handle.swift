extension ErrorHandler {
    /// Handles an error: runs the actions of the matching rules in order.
    ///
    /// It runs on the caller's executor. Unlike a bus, it doesn't set a time limit for actions.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: The file of the report's source location.
    ///   - line: The line of the report's source location.
    /// - Returns: The outcome, with the failures of actions that threw.
    /// - Complexity: Apart from the actions, O(1) in the number of a preset's rules, and O(number of overlaid
    ///   handlers). Rules that must be tried for every error (``ErrorMatcher/predicate(_:)``,
    ///   ``ErrorMatcher/anywhere(_:)``) add their own cost. The first error of a type costs O(number of rules).
    @inlinable
    @discardableResult
    public func handle(_ error: any Error, fileID: String = #fileID, line: UInt = #line) async -> HandleOutcome {
        // Try without suspending first: because this method is inlinable, callers set up no asynchronous call if the
        // rules for the error are synchronous.
        if let outcome = handleSynchronously(error, fileID: fileID, line: line) { return outcome }
        return await handleSuspending(error, fileID, line)
    }

    @usableFromInline
    func handleSuspending(_ error: any Error, _ fileID: String, _ line: UInt) async -> HandleOutcome {
        defer { withExtendedLifetime(rules) {} }
        return await rules.path.dispatch(error, DispatchReporter(.ownSource(.init(fileID: fileID, line: line))))
    }

    /// Handles an error together with its report.
    ///
    /// If the report's role is `.attempt`, rules and `onNoMatch` are skipped, as on a bus.
    ///
    /// - Parameter report: The report of the error. Actions receive it unchanged, except that `always` actions receive
    ///   it with the outcome so far.
    /// - Returns: The outcome, with the failures of actions that threw.
    @discardableResult
    public func handle(_ report: ErrorReport) async -> HandleOutcome {
        defer { withExtendedLifetime(rules) {} }
        return await rules.path.dispatch(report.error, isAttempt: report.role == .attempt, DispatchReporter(report))
    }

    /// Handles an error without suspending, or declines to handle it.
    ///
    /// It declines if errors of this type could reach an asynchronous action, in one of these cases:
    ///
    /// - A rule that might match errors of the type is asynchronous, even if it doesn't match this error.
    /// - An `onNoMatch` is asynchronous, and there is no rule that matches every error of the type regardless of its
    ///   domain.
    /// - An `always` is asynchronous.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: The file of the report's source location.
    ///   - line: The line of the report's source location.
    /// - Returns: The outcome; nil if it declines, in which case no action has run.
    public func handleSynchronously(
        _ error: any Error, fileID: String = #fileID, line: UInt = #line
    ) -> HandleOutcome? {
        defer { withExtendedLifetime(rules) {} }
        return unsafe withUnsafePointer(to: ErrorReport.Source(fileID: fileID, line: line)) { source in
            unsafe rules.path.dispatchIfSynchronous(error, DispatchReporter(.source(source)))
        }
    }
}
