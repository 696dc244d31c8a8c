/// Something that errors can be posted to: a bus, a scope, or the ambient poster.
///
/// Libraries have a parameter of type `any ErrorPosting`, with ``AmbientErrorPosting`` (`.ambient`) as the default.
public protocol ErrorPosting: Sendable {
    /// Posts an error. Never suspends, never throws, never waits for an action, and works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source)

    /// Posts an error and waits until it is delivered. Inside an action it returns `.pending` at once.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome.
    @discardableResult
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome

    /// The poster that this one posts to, if it wraps another; nil otherwise, as by default.
    ///
    /// A wrapper that adds something to each post should return what it wraps, so that `task` finds the bus whose
    /// `withErrorBus` waits for the task. Posts still go through the wrapper. Followed at most eight deep.
    var wrapped: (any ErrorPosting)? { get }
}

extension ErrorPosting {
    /// Nil: this poster wraps no other.
    public var wrapped: (any ErrorPosting)? { nil }
}

extension ErrorPosting {
    /// Posts an error.
    ///
    /// Never suspends, never throws, never waits for an action, and works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is: a failure unless said otherwise.
    ///   - metadata: Metadata for the report.
    ///   - fileID: The file in which the error is posted.
    ///   - line: The line on which the error is posted.
    public func post(
        _ error: consuming any Error,
        as role: ErrorReport.Role = .failure,
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        post(error, as: role, metadata: metadata, source: .init(fileID: fileID, line: line))
    }

    /// Posts an error and waits until it is delivered.
    ///
    /// Inside an action it returns `.pending` at once.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - role: What the post is: a failure unless said otherwise.
    ///   - metadata: Metadata for the report.
    ///   - fileID: The file in which the error is posted.
    ///   - line: The line on which the error is posted.
    /// - Returns: The error's outcome.
    @discardableResult
    public func deliver(
        _ error: any Error,
        as role: ErrorReport.Role = .failure,
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line
    ) async -> HandleOutcome {
        await deliver(error, as: role, metadata: metadata, source: .init(fileID: fileID, line: line))
    }
}
