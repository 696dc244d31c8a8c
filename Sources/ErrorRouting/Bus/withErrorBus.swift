/// Runs a body with an error bus beside it, and returns when everything is done and delivered.
///
/// ```swift
/// try await withErrorBus(handler: .default) { bus in
///     bus.task { try await server.run() }
///     try await intake.run(errors: bus)
/// }
/// ```
///
/// ``ErrorBus/current`` is bound to the bus for the body and everything it starts. After the body, the tasks started
/// with `task` are awaited, those included that actions start, then the bus is finished, and all that was posted is
/// delivered. If the body throws or is cancelled, those tasks are cancelled first, as in a task group.
///
/// It always ends once those tasks and the actions in flight return: what actions still post then is accepted up to the
/// bus's capacity in all, or not at all where the caller was cancelled; the rest is dropped, counted, and written to
/// standard error. Where the configuration sets ``ErrorBus/Configuration/drainTimeLimit`` it waits no longer than that
/// for delivery, whatever the actions do; observers it waits for.
///
/// - Parameters:
///   - handler: The rules, `.default` say.
///   - configuration: How much the bus holds, and how long an action may take.
///   - asRoot: Whether the bus is the process's until this returns, as ``ErrorBus/becomeRoot()`` makes it.
///   - isolation: The caller's actor, where the body runs, and nothing else of the actor before it.
///   - body: What to run. It keeps the caller's isolation.
/// - Returns: What the body returned.
/// - Throws: What the body threw.
@discardableResult
public func withErrorBus<T, F: Error>(
    handler: ErrorHandler,
    configuration: ErrorBus.Configuration = .init(),
    asRoot: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ErrorBus) async throws(F) -> T
) async throws(F) -> T {
    let bus = ErrorBus(handler: handler, configuration: configuration)
    if asRoot { bus.becomeRoot() }
    // A task of its own: the body's cancellation shall not finish the bus while the body still posts.
    let loop = Task { await bus.run() }
    let result = await withTaskCancellationHandler {
        // The closure takes the actor along, or it would be left before the body.
        _ = isolation
        let result: Result<T, F>
        do throws(F) {
            result = .success(
                try await ErrorBus.$current.binding(bus, isolation: isolation) { () async throws(F) -> T in
                    try await body(bus)
                }
            )
        } catch {
            result = .failure(error)
            bus.tasks.cancelAll()
        }
        await bus.finishWhenIdle()
        return result
    } onCancel: {
        bus.hurry()
    }
    await loop.value
    return try result.get()
}
