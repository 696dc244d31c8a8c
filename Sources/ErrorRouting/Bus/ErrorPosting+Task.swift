extension ErrorPosting {
    /// Starts a task whose error does not die with it: what the operation throws is posted.
    ///
    /// Like `Task {}` it inherits the caller's actor, priority and task-local values, and tasks that one actor starts
    /// begin in order. `CancellationError` is not posted. ``withErrorBus(handler:configuration:_:)`` waits for the
    /// tasks of its bus, and cancels them when its body throws or is cancelled.
    ///
    /// - Parameters:
    ///   - name: A name for debuggers and profilers.
    ///   - priority: The task's priority; the caller's where it is nil.
    ///   - metadata: What to give along with an error.
    ///   - fileID: Where an error is said to be posted.
    ///   - line: Where an error is said to be posted.
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
        @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Void
    ) -> Task<Void, Never> {
        // The operation becomes a task as it is, so that it starts on its actor, in order; a second one waits for its
        // result. Calling it from within one task would go by way of the global executor, where order is lost.
        let operation = Task(name: name, priority: priority, operation: operation)
        let source = ErrorReport.Source(fileID: fileID, line: line)
        let resolved = resolved
        guard let tasks = (resolved as? ErrorBus)?.tasks else {
            return Task(priority: priority) { await resolved.postFailure(of: operation, metadata, source) }
        }
        return tasks.start { id in
            Task(priority: priority) {
                await resolved.postFailure(of: operation, metadata, source)
                tasks.remove(id)
            }
        }
    }

    /// What this stands for: the ambient poster is looked up once, in the caller's context.
    private var resolved: any ErrorPosting {
        (self as? AmbientErrorPosting)?.target ?? self
    }

    private func postFailure(
        of operation: Task<Void, any Error>,
        _ metadata: [String: String],
        _ source: ErrorReport.Source
    ) async {
        let result = await withTaskCancellationHandler {
            await operation.result
        } onCancel: {
            operation.cancel()
        }
        if case .failure(let error) = result { postUnlessCancellation(error, metadata, source) }
    }
}
