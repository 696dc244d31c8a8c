/// A receiver of each post in the posting task and of the reports that a shutdown returns; for libraries that test
/// errors.
///
/// An observer receives neither. Metadata can't replace a mark: any caller can set it, an action's failure inherits it,
/// and a flood limit keeps only the newest error's metadata. Set the witness in `ErrorBus.Configuration.witness`.
package protocol PostWitness: Sendable {
    /// Marks an error in the task that posts it; called for each post, dropped ones included.
    ///
    /// A flood limit separates errors with different marks, and the last resort receives no error with a mark. The bus
    /// also calls this method for errors that the method itself posts, so it must not recurse without end.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: The role of the report.
    /// - Returns: The mark, which is the report's `ErrorReport.mark`; nil for none.
    func mark(_ error: any Error, as role: ErrorReport.Role) -> (any AnyObject & Sendable)?

    /// Receives the reports that a shutdown returns, before its caller receives them.
    func tookBack(_ reports: [ErrorReport])
}
