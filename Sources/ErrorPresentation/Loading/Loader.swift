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
    public var state: Loadable<Value, Failure> { seen.state }
    /// The value that was loaded last; kept during a reload and after a failed one, so that a list can stay visible.
    public var latest: Value? { seen.latest }
    /// How many loads in a row have failed; 0 after a success.
    public var failureCount: Int { seen.failureCount }

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
        reportingTo errors: (any ErrorPosting)? = .ambient,
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
    /// has ended meanwhile; if there is none, the previous state returns. A load is cancelled if it throws an error
    /// that `ErrorMatcher.cancellation` matches or, in a cancelled task, `URLError.cancelled`.
    ///
    /// Any other failure is posted once. The failure of an obsolete load is posted too, although it does not change the
    /// state. The ambient poster is the one of the task that calls `load()`.
    public func load() async {
        let number = change { $0.begin() }
        do throws(Failure) {
            let value = try await operation()
            change { $0.end(number, .success(value)) }
        } catch {
            if Cancellation.isEnd(error) {
                change { $0.end(number, .cancelled) }
            } else {
                change { $0.end(number, .failure(error)) }
                errors?.post(error, metadata: [:], source: source)
            }
        }
    }

    /// Resets the loader to `.idle`: forgets the loaded value, and ignores the results of loads under way.
    ///
    /// It does not cancel these loads: their tasks belong to the callers of ``load()``.
    public func reset() {
        change { $0.reset() }
    }

    /// The machine; reading it here registers the access for observation.
    private var seen: LoaderMachine<Value, Failure> {
        access(keyPath: \.machine)
        return machine
    }

    /// Runs an event of the machine, and tells observers if it changed the state.
    @discardableResult
    private func change<Result>(_ event: (inout LoaderMachine<Value, Failure>) -> Result) -> Result {
        // Keeps the old values until the end of this function: their `deinit` may call this loader.
        let before = machine
        defer { withExtendedLifetime(before) {} }
        var after = before
        let result = event(&after)
        // Observers are not told of an event without a visible effect, such as the end of an obsolete load.
        guard after.changes != before.changes else {
            machine = after
            return result
        }
        // Observers are told first, and may change the machine: so the event is run again on the machine as it is then.
        return withMutation(keyPath: \.machine) {
            let before = machine
            defer { withExtendedLifetime(before) {} }
            var after = before
            let result = event(&after)
            machine = after
            return result
        }
    }
}
