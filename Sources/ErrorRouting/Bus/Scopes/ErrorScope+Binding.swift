extension ErrorScope {
    /// Binds the scope for a body and the tasks that it starts.
    ///
    /// Errors that `postError` or `.ambient` posts there go through the scope. Use it for code that doesn't inherit the
    /// binding: a detached task, a callback.
    ///
    /// ```swift
    /// Task.detached { await scope.bound { try? await upload() } }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
    ///   - body: The operation to run. It keeps the caller's isolation.
    /// - Returns: The body's result.
    /// - Throws: The error that the body throws.
    @inlinable
    public func bound<T, F: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(F) -> T
    ) async throws(F) -> T {
        // Keep this method inlinable: each additional asynchronous call costs as much as creating the scope.
        try await Ambience.binder.binding(Ambience(in: rooted), isolation: isolation, body)
    }

    /// Binds the scope for a synchronous body; see ``bound(isolation:_:)``.
    public func bound<T, F: Error>(_ body: () throws(F) -> T) throws(F) -> T {
        try Ambience.binder.binding(Ambience(in: rooted), body)
    }

    /// The most recently bound scope of this task; nil if a bus was bound after it.
    ///
    /// ```swift
    /// ErrorScope.current?.annotate("order", with: order.id)
    /// ```
    public static var current: ErrorScope? { Ambience.current.scope }
}

/// Runs a body in a new scope, whose rules apply to errors that `postError` or `.ambient` posts there.
///
/// The scope lies within the first of these that exists: the task's innermost scope, the task's bus, the process's root
/// bus. If there is no bus, the scope's errors go to the ``LastResort``. If the body throws an error, it is rethrown
/// and not posted.
///
/// The scope is bound for the body and for all tasks that the body starts, even after the body has returned. A worker
/// that also serves later bodies, such as the worker of a queue, would therefore keep the first body's scope and
/// metadata. Start such a worker in a detached task, which doesn't inherit them.
///
/// ```swift
/// try await withErrorScope("checkout", handler: ErrorHandler().on(CardDeclined.self) { … }) { scope in
///     try await charge(card)      // somewhere in there: postError(CardDeclined())
/// }
/// ```
///
/// - Parameters:
///   - name: The scope's name in reports.
///   - handler: The scope's rules; none by default, for a scope that adds only a name and metadata.
///   - order: Whether the scope's rules are tried before or after the rules of the enclosing scopes and the bus.
///   - metadata: Metadata for the scope's reports; it takes precedence over the metadata of the enclosing scopes.
///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
///   - body: The operation to run. It keeps the caller's isolation.
/// - Returns: The body's result.
/// - Throws: The error that the body throws.
@inlinable
@discardableResult
public func withErrorScope<T, F: Error>(
    _ name: String, handler: ErrorHandler = .init(), order: ErrorScope.Order = .innermostFirst,
    metadata: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
    _ body: (ErrorScope) async throws(F) -> T
) async throws(F) -> T {
    let scope = ErrorScope(ambient: name, handler: handler, order: order, metadata: metadata)
    return try await scope.bound(isolation: isolation) { () async throws(F) -> T in try await body(scope) }
}
