public import ErrorRouting
public import Observation

/// A view model that loads a value and publishes one observable state for views.
///
/// ```swift
/// let orders = Loader { try await client.orders() }
/// …
/// await orders.load()
/// ```
///
/// If the task that calls ``load()`` is cancelled, for example because its view disappeared, the load is cancelled too.
@MainActor
@Observable
public final class Loader<Value: Sendable, Failure: Error> {
    /// The state to show.
    public var state: LoadState<Value, Failure> { visible.state }
    /// The last loaded value.
    ///
    /// It is kept during a reload and after a failed reload, so that a list can stay visible.
    public var latest: Value? { visible.latest }
    /// The number of consecutive failed loads; 0 after a success.
    public var failureCount: Int { visible.failureCount }

    /// The copy of the machine's values that views observe.
    private var visible = LoaderMachine<Value, Failure>.Visible()
    @ObservationIgnored private var machine = LoaderMachine<Value, Failure>()
    @ObservationIgnored private var tasks: [UInt64: Task<Void, Never>] = [:]
    @ObservationIgnored private let errors: (any ErrorPosting)?
    @ObservationIgnored private let source: ErrorReport.Source
    @ObservationIgnored private let operation: @MainActor () async throws(Failure) -> Value

    /// Creates a loader that hasn't loaded anything.
    ///
    /// The initializer is nonisolated, because the compiler rejects an isolated initializer in a stored property's
    /// default value if the closure awaits a nonisolated function.
    ///
    /// - Parameters:
    ///   - errors: Where to post failures; nil not to post them.
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

    /// Loads the value and returns when the load has finished.
    ///
    /// If several loads are in progress, the newest load sets the state. A result makes all loads that began earlier
    /// obsolete. A cancelled load is treated as if it had never begun: the load before it sets the state, even if that
    /// load has already finished. If no load precedes it, the state before all loads is restored. A load counts as
    /// cancelled if it throws in a cancelled task.
    ///
    /// A load's error is posted once, even if the load is cancelled or obsolete and doesn't change the state. In a
    /// cancelled task, `URLError.cancelled` and errors that `ErrorMatcher.cancellation` matches aren't posted. In any
    /// other task, a cancellation counts as a failure of the load but is posted as a notice, because something else was
    /// cancelled and the value is missing. `.ambient` posts to the destination of the task that calls `load()`. The
    /// report's metadata contains the key `presentation.shown`, so that an ``ErrorPresenter`` doesn't show a failure
    /// that ``state`` shows.
    public func load() async {
        let number = change { $0.begin() }
        // Load in a new task: `cancel()` can't cancel the caller's task.
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

    /// Cancels all loads in progress.
    ///
    /// The state before these loads is restored immediately, and their values are ignored. An error that a cancelled
    /// load throws is posted as ``load()`` describes.
    public func cancel() {
        change { $0.cancel() }
        for task in tasks.values { task.cancel() }
    }

    /// Resets the loader to `.idle`, discards the loaded value, and ignores the results of loads in progress.
    ///
    /// It doesn't cancel these loads; ``cancel()`` does.
    public func reset() { change { $0.reset() } }

    /// Applies an event to the machine and notifies observers if the event set the state.
    @discardableResult
    private func change<Result>(_ event: (inout LoaderMachine<Value, Failure>) -> Result) -> Result {
        // Retain the old values until this function returns: their `deinit` might call this loader.
        let before = machine
        defer { withExtendedLifetime(before) {} }
        let result = event(&machine)
        // Compare again in a loop: observers are notified before a value is stored and might change the machine.
        while visible.changes != machine.visible.changes {
            let before = visible
            visible = machine.visible
            withExtendedLifetime(before) {}
        }
        return result
    }
}
