/// Sees the posts of a bus, and what no observer gets of them; for tests that fail on unexpected errors.
///
/// A poster's metadata could not do this: anybody may set it, an action's failure inherits it, and a flood limit keeps
/// only that of the newest error.
package protocol PostWitness: Sendable {
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
