/// Runs a body in a new scope; if the body throws, posts the error once and returns what `recover` returns for it.
///
/// For the top of a request, a job or a message: the caller gets a value in any case, and the bus gets the error, with
/// the scope's path and metadata.
///
/// ```swift
/// return await withCatchingScope("request", metadata: ["request.id": id]) { _ in
///     try await next(request)
/// } recovering: { error in
///     Response(status: statuses[error])
/// }
/// ```
///
/// As in `catching`, cancellation is not posted, but `recover` is called with it too. In all else this behaves as
/// ``withErrorScope(_:handler:order:metadata:isolation:_:)``. The scope is bound in `recover` as well.
///
/// - Parameters:
///   - name: The scope's name in reports.
///   - handler: Its rules; none by default, for a scope that only has a name and metadata.
///   - order: Whether its rules are tried before those around it or after them.
///   - metadata: Metadata for its reports, on top of that of the scopes around it.
///   - fileID: The file that the report of an error gives as its source.
///   - line: The line that the report of an error gives as its source.
///   - isolation: The caller's actor, on which both closures run.
///   - body: What to run. It keeps the caller's isolation.
///   - recover: Returns a value for the error that the body threw, once the error is posted. It keeps the caller's
///     isolation.
/// - Returns: What the body returned, or what `recover` returned.
@discardableResult
public func withCatchingScope<T>(
    _ name: String,
    handler: ErrorHandler = .init(),
    order: ErrorScope.Order = .innermostFirst,
    metadata: [String: String] = [:],
    fileID: String = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ErrorScope) async throws -> T,
    recovering recover: (any Error) async -> T
) async -> T {
    await withErrorScope(name, handler: handler, order: order, metadata: metadata, isolation: isolation) { scope in
        do {
            return try await body(scope)
        } catch {
            scope.postUnlessCancellation(error, [:], .init(fileID: fileID, line: line))
            return await recover(error)
        }
    }
}
