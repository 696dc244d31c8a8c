/// A bus task that ``ErrorBus/cancelTasks(after:waitingUpTo:)`` has cancelled at its time limit, so its work is
/// missing.
///
/// It is posted with the source and metadata of the task. Its underlying error is the error that the task threw after
/// its cancellation, such as a `CancellationError`.
public struct TaskCutOff: UnderlyingErrorsProviding, CustomStringConvertible {
    /// The task's name; nil if it has none.
    public let name: String?
    /// Where the task was started.
    public let source: ErrorReport.Source
    /// The time limit; zero for tasks that were cancelled immediately.
    public let limit: Duration
    /// The error that the task threw after its cancellation; nil if the bus stopped waiting before the task ended.
    public let cause: (any Error)?

    /// Creates a description of a task that was cut off; for tests and fakes too.
    ///
    /// - Parameters:
    ///   - name: The task's name.
    ///   - source: Where the task was started.
    ///   - limit: The time limit.
    ///   - cause: The error that the task threw after its cancellation.
    public init(name: String?, source: ErrorReport.Source, limit: Duration, cause: (any Error)? = nil) {
        (self.name, self.source, self.limit, self.cause) = (name, source, limit, cause)
    }

    /// The error that the task threw, if any.
    public var underlyingErrors: [any Error] { cause.map { [$0] } ?? [] }

    /// A sentence with the name and the limit.
    public var description: String {
        let task = name.map { "the task \($0)" } ?? "a task"
        let ending = cause == nil ? ", and didn't end" : ""
        return limit > .zero
            ? "\(task) was cancelled at its time limit of \(limit)\(ending)" : "\(task) was cancelled at once\(ending)"
    }
}
