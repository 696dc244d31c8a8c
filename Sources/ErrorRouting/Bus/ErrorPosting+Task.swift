extension ErrorPosting {
    /// Starts a task whose error does not die with it: what the operation throws is posted.
    ///
    /// Like `Task {}` it inherits the caller's actor, priority and task-local values, and tasks that one actor starts
    /// begin in order. A cancellation is not posted, as in `catching`.
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for the tasks of its bus, and cancels them
    /// when its body throws or is cancelled. A scope's task runs in the scope, as in
    /// ``ErrorScope/bound(isolation:_:)``; a bus's in what is bound where it is started.
    ///
    /// - Parameters:
    ///   - name: A name for debuggers and profilers.
    ///   - priority: The task's priority; the caller's where it is nil.
    ///   - metadata: What to give along with an error.
    ///   - fileID: Where an error is said to be posted.
    ///   - line: Where an error is said to be posted.
    ///   - isolation: The caller's actor, where the task starts.
    ///   - operation: What to do.
    /// - Returns: The task. Its value is there once the operation has ended and its error is posted; cancelling it
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
        let tasks = ((poster as? ErrorBus) ?? (poster as? ErrorScope)?.bus)?.tasks
        let id = tasks?.reserve()
        let task = Task(name: name, priority: priority) {
            // Captured, so that the task starts on the caller's actor, and tasks of one actor start in order.
            _ = isolation
            // Cancelled from within where it has to be from the start: from outside might be too late.
            if let tasks, tasks.isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            do {
                if let scope = poster as? ErrorScope {
                    try await scope.bound(isolation: isolation) { try await operation() }
                } else {
                    try await operation()
                }
            } catch {
                poster.postUnlessCancellation(error, metadata, source)
            }
            if let tasks, let id { tasks.remove(id) }
        }
        if let tasks, let id { tasks.enter(task, as: id) }
        return task
    }

    /// What this stands for: the ambient poster, and a bus for a scope that was made without one, are looked up once,
    /// in the caller's context.
    private var resolved: any ErrorPosting {
        let poster = (self as? AmbientErrorPosting)?.target ?? self
        return (poster as? ErrorScope)?.rooted ?? poster
    }
}
