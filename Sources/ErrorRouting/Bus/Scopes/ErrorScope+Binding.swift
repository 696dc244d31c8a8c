extension ErrorScope {
    /// Binds the scope for a body and the tasks that it starts, so that errors posted there by `postError` or
    /// `.ambient` go through the scope.
    ///
    /// Use it for code that doesn't inherit the binding: a detached task, a callback.
    ///
    /// ```swift
    /// Task.detached { await scope.bound { try? await upload() } }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
    ///   - body: The operation to run. It keeps the caller's isolation.
    /// - Returns: The body's result.
    /// - Throws: The body's error.
    @inlinable
    public func bound<T, F: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(F) -> T
    ) async throws(F) -> T {
        // Keep it inlinable: each additional asynchronous call costs as much as creating the scope.
        try await Ambience.binder.binding(Ambience(in: rooted), isolation: isolation, body)
    }

    /// Binds the scope for a synchronous body; see ``bound(isolation:_:)``.
    public func bound<T, F: Error>(_ body: () throws(F) -> T) throws(F) -> T {
        try Ambience.binder.binding(Ambience(in: rooted), body)
    }

    /// The innermost scope of this task, which was bound last; nil if another bus was bound after it.
    ///
    /// ```swift
    /// ErrorScope.current?.annotate("order", with: order.id)
    /// ```
    public static var current: ErrorScope? { Ambience.current.scope }
}

/// Runs a body in a new scope so that errors posted there by `postError` or `.ambient` go through the scope's rules.
///
/// The scope lies within the first of these that exists: the task's innermost scope, the task's bus, the process's root
/// bus. If there is no bus, the scope's errors go to the ``LastResort``. The body's error is thrown again and not
/// posted.
///
/// The scope is bound for the body and for all tasks that the body starts, even after the body has returned. A worker
/// that serves later bodies too, such as the worker of a queue, would keep the first body's scope and metadata. Start
/// it in a detached task, which inherits neither.
///
/// ```swift
/// try await withErrorScope("checkout", handler: ErrorHandler().on(CardDeclined.self) { … }) { scope in
///     try await charge(card)      // somewhere in there: postError(CardDeclined())
/// }
/// ```
///
/// - Parameters:
///   - name: The scope's name in reports.
///   - handler: Its rules; none by default, for a scope that only has a name and metadata.
///   - order: Whether its rules are tried before those around it or after them.
///   - metadata: Metadata for its reports, on top of that of the scopes around it.
///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
///   - body: The operation to run. It keeps the caller's isolation.
/// - Returns: The body's result.
/// - Throws: The body's error.
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
