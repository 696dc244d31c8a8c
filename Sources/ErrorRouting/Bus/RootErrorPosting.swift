/// A poster that posts to the process's root bus or, if there is none, to the ``LastResort``, whatever the task has bound.
///
/// For something that lives as long as the process and works for all callers: its posts don't belong to the scope of
/// whichever caller happens to use it.
public struct RootErrorPosting: ErrorPosting {
    init() {}

    /// Posts to the root bus; if there is none, writes the error to the last resort.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    public func post(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) {
        if let root = ErrorBus.root { return root.post(error, as: role, metadata: metadata, source: source) }
        let report = ErrorReport(error: error, role: role, source: source, metadata: metadata)
        LastResort.ofProcess.write(report, because: "there is no root bus")
    }

    /// Posts as ``post(_:as:metadata:source:)`` does, and waits until the error is delivered.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome; `.unmatched` if the error went to the last resort.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome {
        if let root = ErrorBus.root {
            return await root.deliver(error, as: role, metadata: metadata, source: source)
        }
        post(error, as: role, metadata: metadata, source: source)
        return HandleOutcome(disposition: .unmatched)
    }

    /// The root bus; nil if there is none.
    public var wrapped: (any ErrorPosting)? { ErrorBus.root }
}

extension ErrorPosting where Self == RootErrorPosting {
    /// The root bus; if there is none, the last resort.
    public static var root: RootErrorPosting { RootErrorPosting() }
}
