extension ErrorHandler {
    /// Handles an error: runs the actions of the rules that match, in order.
    ///
    /// Runs on the caller's executor and without a time limit for actions, which only the bus has.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    /// - Returns: The outcome, with the failures of actions that threw.
    /// - Complexity: Apart from the actions, O(1) in the number of rules of a preset, except for those that have to be
    ///   tried for every error (``ErrorMatcher/predicate(_:)``, ``ErrorMatcher/anywhere(_:)``), and O(number of handlers
    ///   that were overlaid). The first error of a type costs O(number of rules).
    @inlinable
    @discardableResult
    public func handle(_ error: any Error, fileID: String = #fileID, line: UInt = #line) async -> HandleOutcome {
        // Inlinable, so that callers set up no asynchronous call if no rule for the error is asynchronous.
        if let outcome = handleIfSynchronous(error, fileID, line) { return outcome }
        return await handleSuspending(error, fileID, line)
    }

    @usableFromInline
    func handleIfSynchronous(_ error: any Error, _ fileID: String, _ line: UInt) -> HandleOutcome? {
        unsafe withUnsafePointer(to: ErrorReport.Source(fileID: fileID, line: line)) { source in
            unsafe rules.dispatchIfSynchronous(error, DispatchNotes(from: source))
        }
    }

    @usableFromInline
    func handleSuspending(_ error: any Error, _ fileID: String, _ line: UInt) async -> HandleOutcome {
        await rules.dispatch(error, DispatchNotes(from: .init(fileID: fileID, line: line)))
    }

    /// Handles an error that comes with its report.
    ///
    /// Rules and `onNoMatch` are skipped for a report whose role is `.attempt`, as a bus skips them.
    ///
    /// - Parameter report: The report, which actions get unchanged; `always` actions get it with the outcome so far.
    /// - Returns: The outcome, with the failures of actions that threw.
    @discardableResult
    public func handle(_ report: ErrorReport) async -> HandleOutcome {
        let (error, isAttempt) = (report.error, report.role == .attempt)
        let outcome = rules.dispatchIfSynchronous(error, isAttempt: isAttempt, DispatchNotes(report))
        if let outcome { return outcome }
        return await rules.dispatch(error, isAttempt: isAttempt, DispatchNotes(report))
    }

    /// Handles an error without suspending, or declines.
    ///
    /// It declines if by the error's type an asynchronous action could be reached: if a rule that errors of the type may
    /// match is asynchronous, whether this error matches or not; an `onNoMatch`, unless a rule that asks for no domain
    /// matches every error of the type; or an `always`.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    /// - Returns: The outcome; nil, and no action has run, if it declines.
    public func handleSynchronously(
        _ error: any Error,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> HandleOutcome? { handleIfSynchronous(error, fileID, line) }
}
