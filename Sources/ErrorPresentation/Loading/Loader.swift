public import ErrorRouting
public import Observation

/// A view model that loads a value, with one observable state for a view to bind.
///
/// ```swift
/// let orders = Loader { try await client.orders() }
/// …
/// await orders.load()
/// ```
///
/// When a view disappears, its task is cancelled, and so is the load for which it waits.
@MainActor
@Observable
public final class Loader<Value: Sendable, Failure: Error> {
    /// The state to show.
    public var state: LoadState<Value, Failure> { visible.state }
    /// The last loaded value.
    ///
    /// It is kept during a reload and after a failed one, so that a list can stay visible.
    public var latest: Value? { visible.latest }
    /// The number of consecutive failed loads; 0 after a success.
    public var failureCount: Int { visible.failureCount }

    /// A copy of the machine's values that views observe.
    private var visible = LoaderMachine<Value, Failure>.Visible()
    @ObservationIgnored private var machine = LoaderMachine<Value, Failure>()
    @ObservationIgnored private var tasks: [UInt64: Task<Void, Never>] = [:]
    @ObservationIgnored private let errors: (any ErrorPosting)?
    @ObservationIgnored private let source: ErrorReport.Source
    @ObservationIgnored private let operation: @MainActor () async throws(Failure) -> Value

    /// Creates a loader that hasn't loaded anything.
    ///
    /// The initializer isn't isolated. The compiler rejects an isolated one in a stored property's default value if the
    /// closure awaits a function that isn't isolated.
    ///
    /// - Parameters:
    ///   - errors: Where to post failures; nil to post none.
    ///   - fileID: The source file in the reports of failures.
    ///   - line: The source line in the reports of failures.
    ///   - operation: Loads the value. To retry failed loads, call `retry` in the operation.
    public nonisolated init(
        errors: (any ErrorPosting)? = .ambient, fileID: String = #fileID, line: UInt = #line,
        _ operation: @escaping @MainActor () async throws(Failure) -> Value
    ) {
        (self.errors, self.operation) = (errors, operation)
        source = ErrorReport.Source(fileID: fileID, line: line)
    }

    /// Loads the value and returns when the load has ended.
    ///
    /// If several loads are under way, the newest one decides the state. A result makes all loads that began earlier
    /// obsolete. A cancelled load counts as if it had never begun: the load before it decides again, even if that one
    /// has already ended. If there is none, the previous state returns. A load counts as cancelled if it throws in a
    /// cancelled task.
    ///
    /// The error of a load is posted once, even if the load is cancelled or obsolete and doesn't change the state. In a
    /// cancelled task, `URLError.cancelled` and errors that `ErrorMatcher.cancellation` matches aren't posted. In any
    /// other task, a cancellation is a failure and posted as a notice: something else was cancelled, and the value is
    /// missing. `.ambient` is the poster of the task that calls `load()`. The report's metadata contains a mark under
    /// `presentation.shown`, so that an ``ErrorPresenter`` doesn't show the same failure as ``state``.
    public func load() async {
        let number = change { $0.begin() }
        // Use a task of its own: `cancel()` can't cancel the caller's task.
        let task = Task { await run(number) }
        tasks[number] = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        tasks[number] = nil
    }

    private func run(_ number: UInt64) async {
        do throws(Failure) {
            let value = try await operation()
            change { $0.end(number, .success(value)) }
        } catch {
            errors?.postShown(error, source)
            change { $0.end(number, Task.isCancelled ? nil : .failure(error)) }
        }
    }

    /// Cancels all loads under way.
    ///
    /// The state before them returns now, and their values are ignored. An error that a cancelled load throws is posted
    /// as ``load()`` describes.
    public func cancel() {
        change { $0.cancel() }
        for task in tasks.values { task.cancel() }
    }

    /// Resets the loader to `.idle`, discards the loaded value, and ignores the results of loads under way.
    ///
    /// It doesn't cancel these loads; ``cancel()`` does.
    public func reset() { change { $0.reset() } }

    /// Runs an event of the machine, and notifies observers if it set the state.
    @discardableResult
    private func change<Result>(_ event: (inout LoaderMachine<Value, Failure>) -> Result) -> Result {
        // Retain the values until the end of this function: their `deinit` might call this loader.
        let before = machine
        defer { withExtendedLifetime(before) {} }
        let result = event(&machine)
        // Compare again in a loop: observers are notified before a value is stored, and might change the machine.
        while visible.changes != machine.visible.changes {
            let before = visible
            visible = machine.visible
            withExtendedLifetime(before) {}
        }
        return result
    }
}
