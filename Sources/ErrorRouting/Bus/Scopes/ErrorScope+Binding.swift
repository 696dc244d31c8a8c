extension ErrorScope {
    /// Binds the scope for a body and everything it starts: errors posted there without a poster go through it.
    ///
    /// For what does not inherit the binding: a detached task, a callback.
    ///
    /// ```swift
    /// Task.detached { await scope.bound { try? await upload() } }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, where the body runs, and nothing else of the actor before it.
    ///   - body: What to run. It keeps the caller's isolation.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw.
    @inlinable
    public func bound<T, F: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(F) -> T
    ) async throws(F) -> T {
        // Inlined, since each asynchronous call in between costs as much as to make the scope.
        let scope = rooted
        if scope.isOfCurrentBus {
            return try await ErrorScope.binder.binding(scope, isolation: isolation, body)
        }
        return try await ErrorBus.$current.binding(scope.bus, isolation: isolation) { () async throws(F) -> T in
            try await ErrorScope.binder.binding(scope, isolation: isolation, body)
        }
    }

    @usableFromInline
    var isOfCurrentBus: Bool { bus === ErrorBus.current }

    /// What binds a scope to a task.
    @usableFromInline
    static var binder: TaskLocal<ErrorScope?> { $bound }

    /// Binds the scope for a synchronous body; see ``bound(isolation:_:)``.
    public func bound<T, F: Error>(_ body: () throws(F) -> T) throws(F) -> T {
        let scope = rooted
        if scope.bus === ErrorBus.current { return try ErrorScope.$bound.binding(scope, body) }
        return try ErrorBus.$current.binding(scope.bus) { () throws(F) -> T in
            try ErrorScope.$bound.binding(scope, body)
        }
    }

    /// The scope of this task, if it is the innermost thing that is bound.
    ///
    /// Whoever binds a scope binds its bus too: if another bus is bound, that was bound later. (To bind the same bus
    /// again does not leave the scope.)
    static var innermost: ErrorScope? {
        guard let scope = bound, scope.bus === ErrorBus.current else { return nil }
        return scope
    }
}

/// Runs a body in a scope: what is posted there, by whomever, goes through the scope's rules.
///
/// The scope lies within the innermost scope of the task, else in its bus, else in the process's root bus, and is bound
/// for the body and everything it starts. Where there is none of them its errors go to standard error. What the body
/// throws is thrown on, and not posted: for that there is
/// ``withCatchingScope(_:handler:order:metadata:fileID:line:isolation:_:recovering:)``.
///
/// ```swift
/// try await withErrorScope("checkout", handler: ErrorHandler().on(CardDeclined.self) { … }) { scope in
///     try await charge(card)      // somewhere in there: postError(CardDeclined())
/// }
/// ```
///
/// - Parameters:
///   - name: What reports call the scope.
///   - handler: Its rules; none by default, for a name and metadata alone.
///   - order: Whether its rules are tried before those around it or after them.
///   - metadata: What its reports get along, on top of what the scopes around it give.
///   - isolation: The caller's actor, where the body runs, and nothing else of the actor before it.
///   - body: What to run. It keeps the caller's isolation.
/// - Returns: What the body returned.
/// - Throws: What the body threw.
@inlinable
@discardableResult
public func withErrorScope<T, F: Error>(
    _ name: String,
    handler: ErrorHandler = .init(),
    order: ErrorScope.Order = .innermostFirst,
    metadata: [String: String] = [:],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ErrorScope) async throws(F) -> T
) async throws(F) -> T {
    let scope = ErrorScope(ambient: name, handler: handler, order: order, metadata: metadata)
    return try await scope.bound(isolation: isolation) { () async throws(F) -> T in try await body(scope) }
}
