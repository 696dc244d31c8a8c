extension ErrorPosting {
    /// Starts a task; if its operation throws, posts the error.
    ///
    /// Like `Task {}`, it inherits the caller's actor, priority, and task-local values, and tasks that one actor starts
    /// begin in order. A cancellation is posted as in `catching`: as a notice, or not at all in a cancelled task.
    /// ``withErrorBus(handler:configuration:asRoot:isolation:_:)`` waits for the tasks of its bus and cancels them if
    /// its body throws or is cancelled. What a task throws after ``ErrorBus/cancelTasks(after:waitingUpTo:)`` has
    /// cancelled it is posted as a ``TaskCutOff``, even a cancellation. A task of a scope runs with that scope bound,
    /// as in ``ErrorScope/bound(isolation:_:)``; a task of a bus inherits the scope and bus bound at the call. A poster
    /// that wraps another one returns it from ``wrapped``. Its task belongs to the wrapped bus or scope and posts
    /// through the wrapper.
    ///
    /// - Parameters:
    ///   - name: A name for debuggers and profilers.
    ///   - priority: The task's priority; nil for the caller's.
    ///   - metadata: Metadata for the report of an error; computed at the call.
    ///   - fileID: The source file in the report of an error.
    ///   - line: The source line in the report of an error.
    ///   - isolation: The caller's actor, where the task starts.
    ///   - operation: The operation to run.
    /// - Returns: The task. It ends once the operation has ended and its error is posted. Cancelling the task cancels
    ///   the operation.
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
        let tasks = bus?.tasks
        let isForCutOff = bus?.isHandlingCutOff ?? false
        @Sendable func tellCutOff(at limit: Duration, _ cause: (any Error)?) {
            let cutOff = TaskCutOff(name: name, source: source, limit: limit, cause: cause)
            if isForCutOff {
                bus?.writeFurther(cutOff, metadata)
            } else {
                poster.post(cutOff, as: .failure, metadata: metadata, source: source)
            }
        }
        let id = tasks?.reserve { tellCutOff(at: $0, nil) }
        let task = Task(name: name, priority: priority) {
            // Capture it: then the task starts on the caller's actor, and tasks of one actor start in order.
            _ = isolation
            // If the bus's tasks are already cancelled, cancel this one here: `enter` below might come too late.
            if let tasks, tasks.isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            do {
                var ambience = scope.map { Ambience(in: $0.rooted) } ?? Ambience.current
                if let bus { ambience = ambience.within(bus) }
                try await Ambience.binder.binding(ambience, isolation: isolation) { try await operation() }
            } catch {
                switch id.flatMap({ tasks?.endingOfThrowingTask($0) }) {
                case nil, .onItsOwn: poster.postUnlessCancelled(error, metadata, source)
                case .afterLimit(let limit): tellCutOff(at: limit, error)
                case .afterAbandonment: bus?.writeLate(error, metadata, source)
                }
            }
            if let tasks, let id { tasks.remove(id) }
        }
        if let tasks, let id { tasks.enter(task, as: id) }
        return task
    }

    /// The poster itself or its target in the caller's context: the target of the ambient poster or of a scope below
    /// it, or the current bus for a scope created without a bus.
    private var resolved: any ErrorPosting {
        let poster = (self as? AmbientErrorPosting)?.wrapped ?? (self as? ScopedPosting)?.scope ?? self
        return (poster as? ErrorScope)?.rooted ?? poster
    }

    /// The bus and the scope that finally receive the posts; nil if neither is known.
    package var target: (bus: ErrorBus?, scope: ErrorScope?) {
        var poster: (any ErrorPosting)? = self
        for _ in 0...Self.wrapperLimit {
            if let bus = poster as? ErrorBus { return (bus, nil) }
            if let scope = (poster as? ErrorScope)?.rooted { return (scope.bus, scope) }
            poster = poster?.wrapped
        }
        return (nil, nil)
    }

    /// The number of wrappers to follow; limited because a poster might wrap itself.
    private static var wrapperLimit: Int { 8 }
}
