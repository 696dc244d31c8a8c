/// A receiver of posted errors, called a poster: a bus, a scope, or the ambient poster.
///
/// In a library, declare a parameter of type `any ErrorPosting` with the default value ``AmbientErrorPosting``
/// (`.ambient`).
public protocol ErrorPosting: Sendable {
    /// Posts an error without suspending, throwing, or waiting for an action; works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    func post(
        _ error: consuming any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source)

    /// Posts an error and waits until it is delivered; inside an action, returns `.pending` immediately.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report.
    ///   - metadata: Metadata for the report.
    ///   - source: Where the error is posted.
    /// - Returns: The error's outcome.
    @discardableResult
    func deliver(
        _ error: any Error, as role: ErrorReport.Role, metadata: [String: String], source: ErrorReport.Source
    ) async -> HandleOutcome

    /// The poster that this poster wraps; nil by default, if it doesn't wrap another poster.
    ///
    /// A wrapper that adds something to each post should return the wrapped poster. Then `task` finds the bus, so that
    /// the `withErrorBus` of that bus waits for the task. Posts still go through the wrapper. At most eight nested
    /// wrappers are followed.
    var wrapped: (any ErrorPosting)? { get }
}

extension ErrorPosting {
    /// Nil, because this poster doesn't wrap another poster.
    public var wrapped: (any ErrorPosting)? { nil }

    /// The bus and the scope that finally receive the posts; nil if neither is known.
    package var target: (bus: ErrorBus?, scope: ErrorScope?) {
        var poster: (any ErrorPosting)? = self
        for _ in 0...Self.wrapperLimit {
            if let bus = poster as? ErrorBus { return (bus, nil) }
            if let scope = (poster as? ErrorScope)?.rooted { return (scope.bus, scope) }
            poster = poster?.wrapped
        }
        return (nil, nil)
    }

    /// The maximum number of wrappers to follow; it is limited because a poster might wrap itself.
    private static var wrapperLimit: Int { 8 }

    /// Posts an error without suspending, throwing, or waiting for an action; works on any thread.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report; a failure by default.
    ///   - metadata: Metadata for the report.
    ///   - fileID: The file in which the error is posted.
    ///   - line: The line on which the error is posted.
    public func post(
        _ error: consuming any Error, as role: ErrorReport.Role = .failure, metadata: [String: String] = [:],
        fileID: String = #fileID, line: UInt = #line
    ) { post(error, as: role, metadata: metadata, source: .init(fileID: fileID, line: line)) }

    /// Posts an error and waits until it is delivered; inside an action, returns `.pending` immediately.
    ///
    /// - Parameters:
    ///   - error: The error to post.
    ///   - role: The role of the report; a failure by default.
    ///   - metadata: Metadata for the report.
    ///   - fileID: The file in which the error is posted.
    ///   - line: The line on which the error is posted.
    /// - Returns: The error's outcome.
    @discardableResult
    public func deliver(
        _ error: any Error, as role: ErrorReport.Role = .failure, metadata: [String: String] = [:],
        fileID: String = #fileID, line: UInt = #line
    ) async -> HandleOutcome {
        await deliver(error, as: role, metadata: metadata, source: .init(fileID: fileID, line: line))
    }
}
