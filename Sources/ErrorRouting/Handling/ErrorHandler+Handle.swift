extension ErrorHandler {
    /// Handles an error: runs the actions of the rules that match, in order.
    ///
    /// It stays on the caller's executor, and no action has a time limit here; the bus has one.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    /// - Returns: What became of the error, with the failures of actions that threw.
    /// - Complexity: Beside the actions, O(1) in the number of rules, but for those that have to be tried for every
    ///   error (``ErrorMatcher/predicate(_:)``, ``ErrorMatcher/anywhere(_:)``). The first error of a type costs
    ///   O(number of rules).
    @inlinable
    @discardableResult
    public func handle(_ error: any Error, fileID: String = #fileID, line: UInt = #line) async -> HandleOutcome {
        // Inlined, so that callers set up no asynchronous call where nothing is asynchronous.
        if let outcome = handleIfSynchronous(error, fileID, line) { return outcome }
        return await handleSuspending(error, fileID, line)
    }

    @usableFromInline
    func handleIfSynchronous(_ error: any Error, _ fileID: String, _ line: UInt) -> HandleOutcome? {
        rules.dispatchIfSynchronous(error, ErrorReport.Source(fileID: fileID, line: line))
    }

    @usableFromInline
    func handleSuspending(_ error: any Error, _ fileID: String, _ line: UInt) async -> HandleOutcome {
        await rules.dispatch(error, ErrorReport.Source(fileID: fileID, line: line))
    }

    /// Handles an error that comes with its report.
    ///
    /// - Parameter report: The report, which actions get as it is; `always` actions get it with the outcome so far.
    /// - Returns: What became of the error, with the failures of actions that threw.
    @discardableResult
    public func handle(_ report: ErrorReport) async -> HandleOutcome {
        if let outcome = rules.dispatchIfSynchronous(report.error, report) { return outcome }
        return await rules.dispatch(report.error, report)
    }

    /// Handles an error without suspending, or declines.
    ///
    /// It declines if any rule that matches the error (whether it would be reached or not), any `onNoMatch` that would
    /// apply, or any `always` is asynchronous.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    /// - Returns: What became of the error; or nil, and no action has run.
    public func handleSynchronously(
        _ error: any Error,
        fileID: String = #fileID,
        line: UInt = #line
    ) -> HandleOutcome? {
        rules.dispatchSynchronously(error, ErrorReport.Source(fileID: fileID, line: line))
    }

    /// Handles an error where nobody can wait, in a callback say: at once if no rule needs to suspend for it, else
    /// soon, in a task of its own.
    ///
    /// Of errors that are handled soon the order is not kept; where it matters, post them to an ``ErrorBus``. Failures
    /// of actions go to the process's ``LastResort``, since nobody sees the outcome.
    ///
    /// - Parameters:
    ///   - error: The error to handle.
    ///   - fileID: Where the error comes from.
    ///   - line: Where the error comes from.
    public func handleSoon(_ error: any Error, fileID: String = #fileID, line: UInt = #line) {
        if let outcome = handleSynchronously(error, fileID: fileID, line: line) {
            outcome.tellFailures()
        } else {
            Task { await handle(error, fileID: fileID, line: line).tellFailures() }
        }
    }
}

extension HandleOutcome {
    /// Lets the process's last resort have the failures, where nobody sees the outcome.
    func tellFailures() {
        for failure in failures { LastResort.ofProcess.write(failure) }
    }
}
