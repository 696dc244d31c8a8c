extension ErrorHandler {
    /// Handles an error: runs the actions of the rules that match, in order.
    ///
    /// It runs on the caller's executor. It has no time limit for actions; only a bus has one.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    /// - Returns: The outcome, with the failures of actions that threw.
    /// - Complexity: Apart from the actions, O(1) in the number of a preset's rules, and O(number of overlaid
    ///   handlers). Rules that must be tried for every error (``ErrorMatcher/predicate(_:)``,
    ///   ``ErrorMatcher/anywhere(_:)``) add their own cost. The first error of a type costs O(number of rules).
    @inlinable
    @discardableResult
    public func handle(_ error: any Error, fileID: String = #fileID, line: UInt = #line) async -> HandleOutcome {
        // This method is inlinable, so that callers set up no asynchronous call if no rule for the error is
        // asynchronous.
        if let outcome = handleIfSynchronous(error, fileID, line) { return outcome }
        return await handleSuspending(error, fileID, line)
    }

    @usableFromInline
    func handleIfSynchronous(_ error: any Error, _ fileID: String, _ line: UInt) -> HandleOutcome? {
        unsafe withUnsafePointer(to: ErrorReport.Source(fileID: fileID, line: line)) { source in
            unsafe rules.dispatchIfSynchronous(error, DispatchReporter(from: source))
        }
    }

    @usableFromInline
    func handleSuspending(_ error: any Error, _ fileID: String, _ line: UInt) async -> HandleOutcome {
        await rules.dispatch(error, DispatchReporter(from: .init(fileID: fileID, line: line)))
    }

    /// Handles an error that comes with its report.
    ///
    /// If the report's role is `.attempt`, rules and `onNoMatch` are skipped, as on a bus.
    ///
    /// - Parameter report: The report. Actions receive it unchanged; `always` actions receive it with the outcome so
    ///   far.
    /// - Returns: The outcome, with the failures of actions that threw.
    @discardableResult
    public func handle(_ report: ErrorReport) async -> HandleOutcome {
        let (error, isAttempt) = (report.error, report.role == .attempt)
        let outcome = rules.dispatchIfSynchronous(error, isAttempt: isAttempt, DispatchReporter(report))
        if let outcome { return outcome }
        return await rules.dispatch(error, isAttempt: isAttempt, DispatchReporter(report))
    }

    /// Handles an error without suspending, or declines.
    ///
    /// It declines if errors of this type could reach an asynchronous action, in one of these cases:
    ///
    /// - A rule that might match errors of the type is asynchronous, whether it matches this error or not.
    /// - An `onNoMatch` is asynchronous, and no rule without a domain matches every error of the type.
    /// - An `always` is asynchronous.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    /// - Returns: The outcome; nil if it declines, and then no action has run.
    public func handleSynchronously(
        _ error: any Error, fileID: String = #fileID, line: UInt = #line
    ) -> HandleOutcome? { handleIfSynchronous(error, fileID, line) }
}
