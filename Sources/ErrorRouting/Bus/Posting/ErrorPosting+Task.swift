extension ErrorPosting {
    /// Starts a task; if its operation throws, posts the error.
    ///
    /// Like `Task {}`, the task inherits the caller's actor, priority, and task-local values, and tasks started by the
    /// same actor begin in order. A cancellation is posted as in `catching`: as a notice, or not at all if the task is
    /// cancelled.
    ///
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for the tasks of its bus and cancels them if
    /// its body throws or is cancelled. If ``ErrorBus/cancelTasks(after:waitingUpTo:)`` has cancelled a task, an error
    /// that the task throws afterward is posted in a ``TaskCutOff``, even if it is a cancellation.
    ///
    /// A scope's task runs with that scope bound, as in ``ErrorScope/bound(isolation:_:)``. A bus's task inherits the
    /// scope and bus that are bound at the call. If a poster wraps another poster, it must return that poster from
    /// ``wrapped``. A task started through the wrapper then belongs to the wrapped bus or scope and posts through the
    /// wrapper.
    ///
    /// - Parameters:
    ///   - name: A name for debuggers and profilers.
    ///   - priority: The task's priority; nil for the caller's priority.
    ///   - metadata: Metadata for the report, evaluated at the call.
    ///   - fileID: The file of the report's source location.
    ///   - line: The line of the report's source location.
    ///   - isolation: The caller's actor, on which the task starts.
    ///   - operation: The operation to run.
    /// - Returns: The task. It ends when the operation has ended and its error, if any, is posted. Cancelling the task
    ///   cancels the operation.
    @discardableResult
    public func task(
        name: String? = nil,
        priority: TaskPriority? = nil,
        metadata: [String: String] = [:],
        fileID: String = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Void
    ) -> Task<Void, Never> {
        let source = ErrorReport.Source(fileID: fileID, line: line)
        let poster = resolved
        let (bus, scope) = poster.target
        // Without a bus, use the task's own registry, so that the code below is the same.
        let tasks = bus?.tasks ?? TaskRegistry()
        let isForCutOff = bus?.isHandlingCutOff ?? false
        @Sendable func write(_ error: any Error, because reason: String) {
            bus?.lastResort.write(ErrorReport(error: error, source: source, metadata: metadata), because: reason)
        }
        @Sendable func postCutOff(at limit: Duration, _ cause: (any Error)?) {
            let cutOff = TaskCutOff(name: name, source: source, limit: limit, cause: cause)
            if isForCutOff {
                write(cutOff, because: "its task was started for a task that was cut off")
            } else {
                poster.post(cutOff, as: .failure, metadata: metadata, source: source)
            }
        }
        let id = tasks.reserve { postCutOff(at: $0, nil) }
        let task = Task(name: name, priority: priority) {
            // Capture the actor, so that the task starts on it and tasks of one actor start in order.
            _ = isolation
            // Cancel this task here if the bus's tasks are already cancelled: `enter` below might come too late.
            if tasks.isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            do {
                var ambience = scope.map { Ambience(in: $0.rooted) } ?? Ambience.current
                if let bus { ambience.enter(bus) }
                try await Ambience.binder.binding(ambience, isolation: isolation) { try await operation() }
            } catch {
                switch tasks.endingOfThrowingTask(id) {
                case .onItsOwn: poster.postUnlessCancelled(error, metadata, source)
                case .afterLimit(let limit): postCutOff(at: limit, error)
                case .afterAbandonment:
                    write(error, because: "its task was cut off before, and the bus no longer waited for it")
                }
            }
            tasks.remove(id)
        }
        tasks.enter(task, as: id)
        return task
    }

    /// The poster that receives the posts, found in the caller's context.
    ///
    /// For the ambient poster or a scope created below it, this is the ambient poster's current receiver. For a scope
    /// created without a bus, it is that scope in the current bus. For any other poster, it is the poster itself.
    private var resolved: any ErrorPosting {
        let poster = (self as? AmbientErrorPosting)?.wrapped ?? (self as? ScopedPosting)?.scope ?? self
        return (poster as? ErrorScope)?.rooted ?? poster
    }
}

/// Starts a task; if its operation throws, posts the error like `postError`.
///
/// Unlike `Task {}`, it doesn't lose errors. The error goes to the first of these that exists: the task's innermost
/// scope, the task's bus, the process's root bus, the last resort. So the function can be called anywhere, with or
/// without a bus. In an action, use it for work that must not delay later errors, such as a call to a pager:
///
/// ```swift
/// .onNoMatch { error in
///     postingTask { try await pager.page(about: error) }
///     return .stop
/// }
/// ```
///
/// Like `Task {}`, the task inherits the caller's actor, priority, and task-local values. If there is a bus, the task
/// belongs to that bus; see ``ErrorPosting/task(name:priority:metadata:fileID:line:isolation:_:)``.
///
/// - Parameters:
///   - name: A name for debuggers and profilers.
///   - priority: The task's priority; nil for the caller's priority.
///   - metadata: Metadata for the report, evaluated at the call.
///   - fileID: The file of the report's source location.
///   - line: The line of the report's source location.
///   - isolation: The caller's actor, on which the task starts.
///   - operation: The operation to run.
/// - Returns: The task. It ends when the operation has ended and its error, if any, is posted. Cancelling the task
///   cancels the operation.
@discardableResult
public func postingTask(
    name: String? = nil,
    priority: TaskPriority? = nil,
    metadata: [String: String] = [:],
    fileID: String = #fileID,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Void
) -> Task<Void, Never> {
    AmbientErrorPosting().task(
        name: name, priority: priority, metadata: metadata, fileID: fileID, line: line, isolation: isolation, operation)
}
