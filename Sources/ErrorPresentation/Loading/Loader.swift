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
/// `load()` runs in the caller's task: a view's task is cancelled when the view disappears, and so is its load.
@MainActor
@Observable
public final class Loader<Value: Sendable, Failure: Error> {
    /// The state to show.
    public var state: Loadable<Value, Failure> { visible.state }
    /// The value that was loaded last; kept during a reload and after a failed one, so that a list can stay visible.
    public var latest: Value? { visible.latest }
    /// How many loads in a row have failed; 0 after a success.
    public var failureCount: Int { visible.failureCount }

    /// What observers see: a copy of the machine's values.
    private var visible = LoaderMachine<Value, Failure>.Visible()
    @ObservationIgnored private var machine = LoaderMachine<Value, Failure>()
    @ObservationIgnored private let errors: (any ErrorPosting)?
    @ObservationIgnored private let source: ErrorReport.Source
    @ObservationIgnored private let operation: @MainActor () async throws(Failure) -> Value

    /// Makes a loader that has not loaded anything.
    ///
    /// The initialiser is not isolated: the compiler refuses an isolated one in a stored property's default value if
    /// the closure awaits a function that is not isolated.
    ///
    /// - Parameters:
    ///   - errors: Where failures are posted; nil to post none.
    ///   - fileID: The file that posted failures name as their source.
    ///   - line: The line that posted failures name as their source.
    ///   - operation: Loads the value. If a failed load is to be retried, the operation does so itself.
    public nonisolated init(
        errors: (any ErrorPosting)? = .ambient,
        fileID: String = #fileID,
        line: UInt = #line,
        _ operation: @escaping @MainActor () async throws(Failure) -> Value
    ) {
        self.errors = errors
        self.operation = operation
        source = ErrorReport.Source(fileID: fileID, line: line)
    }

    /// Loads the value, and returns when the load has ended.
    ///
    /// If several loads are under way, the newest one decides the state, and a result makes all loads that began
    /// earlier obsolete. A cancelled load counts as if it had never begun: the load before it decides again, even if it
    /// has ended meanwhile; if there is none, the previous state returns. A load is cancelled if it throws in a
    /// cancelled task.
    ///
    /// What a load throws is posted once, also by a cancelled or obsolete load, which does not change the state. In a
    /// cancelled task, an error that `ErrorMatcher.cancellation` matches and `URLError.cancelled` are not posted. In a
    /// task that nobody has cancelled, a cancellation is a failure, and posted as a notice: something else was
    /// cancelled, and the value is missing. The ambient poster is the one of the task that calls `load()`. The report
    /// is marked in its metadata, under `presentation.shown`, so that an ``ErrorPresenter`` does not show again what
    /// ``state`` says.
    public func load() async {
        let number = change { $0.begin() }
        do throws(Failure) {
            let value = try await operation()
            change { $0.end(number, .success(value)) }
        } catch {
            let role = Cancellation.role(of: error)
            change { $0.end(number, Task.isCancelled ? .cancelled : .failure(error)) }
            guard let role else { return }
            errors?.post(error, as: role, metadata: OwnViewMark.metadata(for: error), source: source)
        }
    }

    /// Resets the loader to `.idle`: forgets the loaded value, and ignores the results of loads under way.
    ///
    /// It does not cancel these loads: their tasks belong to the callers of ``load()``.
    public func reset() {
        change { $0.reset() }
    }

    /// Runs an event of the machine, and tells observers if it set the state.
    @discardableResult
    private func change<Result>(_ event: (inout LoaderMachine<Value, Failure>) -> Result) -> Result {
        // Retains the values until the end of this function: their `deinit` may call this loader.
        let before = machine.results
        defer { withExtendedLifetime(before) {} }
        let result = event(&machine)
        // Observers are told before a value is stored, and may change the machine: so the values are compared again.
        while visible.changes != machine.visible.changes {
            let before = visible
            visible = machine.visible
            withExtendedLifetime(before) {}
        }
        return result
    }
}
