/// Runs a body in a scope, posts what it throws, once, and returns what is made of that error.
///
/// For the top of a request, a job, a message: whoever waits there gets an answer, whatever happens, and the bus the
/// error, with all that the scope says of it.
///
/// ```swift
/// return await withCatchingScope("request", metadata: ["request.id": id]) { _ in
///     try await next(request)
/// } recovering: { error in
///     Response(status: statuses[error])
/// }
/// ```
///
/// What `catching` does not post, since the task was cancelled, is not posted here either; something is made of it all
/// the same. Else this is as ``withErrorScope(_:handler:order:metadata:isolation:_:)``, for `recover` too: what is
/// posted there without a poster goes through the scope.
///
/// - Parameters:
///   - name: What reports call the scope.
///   - handler: Its rules; none by default, for a name and metadata alone.
///   - order: Whether its rules are tried before those around it or after them.
///   - metadata: What its reports get along, on top of what the scopes around it give.
///   - fileID: Where an error is said to be posted.
///   - line: Where an error is said to be posted.
///   - isolation: The caller's actor, where both closures run.
///   - body: What to run. It keeps the caller's isolation.
///   - recover: Makes a value of what the body threw, once that is posted. It keeps the caller's isolation.
/// - Returns: What the body returned, or what was made of the error.
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
