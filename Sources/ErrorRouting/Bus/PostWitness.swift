/// Sees each post of a bus in the posting task, and the reports that a shutdown returns; for libraries that test errors.
///
/// An observer sees neither. Metadata can't replace a mark: any caller can set it, an action's failure inherits it, and a
/// flood limit keeps only the metadata of the newest error. Set it in ``ErrorBus/Configuration/witness``.
public protocol PostWitness: Sendable {
    /// Marks an error that is being posted, in the poster's task; called for each post, dropped ones included.
    ///
    /// A flood limit tells errors with different marks apart, and the last resort gets no error with a mark. This is
    /// called for errors too that it posts itself: it must not recurse without end.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    /// - Returns: The mark, which is the report's ``ErrorReport/mark``; nil for none.
    func mark(_ error: any Error, as role: ErrorReport.Role) -> (any AnyObject & Sendable)?

    /// Receives the reports that a shutdown returns, before its caller gets them.
    func tookBack(_ reports: [ErrorReport])
}
