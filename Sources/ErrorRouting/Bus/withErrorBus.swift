/// Runs a body alongside an error bus and returns when both are done.
///
/// The bus is done when the tasks started with `task` have ended and every error is delivered.
///
/// ```swift
/// try await withErrorBus(handler: .default) { bus in
///     bus.task { try await server.run() }
///     try await intake.run(errors: bus)
/// }
/// ```
///
/// ``ErrorBus/current`` is bound to the bus for the body and everything that it starts. After the body, the function
/// waits for the tasks started with `task`, including those started by actions. Then it finishes the bus, which
/// delivers every posted error. If the body throws or is cancelled, those tasks are cancelled first, as in a task
/// group.
///
/// The function always returns after those tasks and the actions in progress have returned, even if errors are still
/// being posted: from that time on, the bus accepts about as many errors as its capacity, or none if the caller was
/// cancelled. The bus drops and counts further errors and writes them to the ``LastResort``. If
/// ``ErrorBus/Configuration/drainTimeLimit`` is set, the function doesn't wait longer than that for delivery,
/// regardless of the actions, but it still waits for observers.
///
/// - Parameters:
///   - handler: The rules, such as `.default`.
///   - configuration: The bus's limits, clock, metadata provider, and last resort.
///   - asRoot: Whether the bus is the process's root until the function returns; see ``ErrorBus/becomeRoot()``.
///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
///   - body: The operation to run. It keeps the caller's isolation.
/// - Returns: The body's result.
/// - Throws: The error that the body throws.
@discardableResult
public func withErrorBus<T, F: Error>(
    handler: ErrorHandler, configuration: ErrorBus.Configuration = .init(), asRoot: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ErrorBus) async throws(F) -> T
) async throws(F) -> T {
    let bus = ErrorBus(handler: handler, configuration: configuration)
    if asRoot { bus.becomeRoot() }
    let work = Ambience.current.work
    bus.start(within: work)
    let ambience = Ambience(bus: bus, work: work + [.init(bus: bus.number, part: .bodyOrTask)])
    let result = await withTaskCancellationHandler {
        // Capture the actor, so that the closure runs on it.
        _ = isolation
        let result: Result<T, F>
        do throws(F) {
            result = .success(
                try await Ambience.binder.binding(ambience, isolation: isolation) { () async throws(F) -> T in
                    try await body(bus)
                }
            )
        } catch {
            result = .failure(error)
            bus.tasks.cancelAll(at: nil)
        }
        await bus.finishWhenIdle()
        return result
    } onCancel: {
        bus.cancel()
    }
    return try result.get()
}

extension ErrorBus {
    /// Binds the bus for a body and the tasks that it starts.
    ///
    /// There, `postError` and `.ambient` post to this bus instead of the process's root bus. No scope is bound there,
    /// even if the caller is in a scope.
    ///
    /// Use it for a part of a program that doesn't run within
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)``, such as a service that runs alongside the service
    /// that owns the bus. The method neither runs nor finishes the bus.
    ///
    /// ```swift
    /// try await bus.bound { try await server.run() }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The caller's actor, on which the body runs; the body begins without a suspension.
    ///   - body: The operation to run. It keeps the caller's isolation.
    /// - Returns: The body's result.
    /// - Throws: The error that the body throws.
    public func bound<T, F: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(F) -> T
    ) async throws(F) -> T {
        let ambience = Ambience(bus: self, work: Ambience.current.work)
        return try await Ambience.binder.binding(ambience, isolation: isolation, body)
    }
}
