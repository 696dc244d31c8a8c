/// Starts a task; if its operation throws, posts the error as `postError` does.
///
/// It is a `Task {}` that loses no error: the error goes to the first of these that exists: the task's innermost scope,
/// the task's bus, the process's root bus, the last resort. So it works with a bus and without one, in any function.
/// In an action, use it for work that must not delay later errors, such as a call to a pager:
///
/// ```swift
/// .onNoMatch { error in
///     postingTask { try await pager.page(about: error) }
///     return .stop
/// }
/// ```
///
/// Like `Task {}`, it inherits the caller's actor, priority, and task-local values. If there is a bus, the task is a
/// task of that bus; see ``ErrorPosting/task(name:priority:metadata:fileID:line:isolation:_:)``.
///
/// - Parameters:
///   - name: A name for debuggers and profilers.
///   - priority: The task's priority; nil for the caller's.
///   - metadata: Metadata for the report of an error; computed at the call.
///   - fileID: The source file in the report of an error.
///   - line: The source line in the report of an error.
///   - isolation: The caller's actor, where the task starts.
///   - operation: The operation to run.
/// - Returns: The task. It ends once the operation has ended and its error is posted. Cancelling the task cancels the
///   operation.
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
