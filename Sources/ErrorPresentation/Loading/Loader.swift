public import ErrorRouting
public import Observation

/// A view model that loads something: its one state, for a screen to bind.
///
/// ```swift
/// let orders = Loader { try await client.orders() }
/// …
/// await orders.load()
/// ```
///
/// `load()` runs in the caller's task, so that a view's task, which ends with the view, cancels it.
@MainActor
@Observable
public final class Loader<Value: Sendable, Failure: Error> {
    /// What to show.
    public var state: Loadable<Value, Failure> { seen.state }
    /// What was loaded last: it survives a reload, a failed one too, so that a list need not vanish while it reloads.
    public var latest: Value? { seen.latest }
    /// How many loads in a row have failed: 0 after a success.
    public var failureCount: Int { seen.failureCount }

    @ObservationIgnored private var machine = LoaderMachine<Value, Failure>()
    @ObservationIgnored private let errors: (any ErrorPosting)?
    @ObservationIgnored private let source: ErrorReport.Source
    @ObservationIgnored private let operation: @MainActor () async throws(Failure) -> Value

    /// Makes a loader that has not loaded anything.
    ///
    /// Anywhere: the compiler refuses an isolated initialiser in a stored property's default value if the closure
    /// awaits what is not isolated.
    ///
    /// - Parameters:
    ///   - errors: Where failures are posted; nil where somebody else hears of them, or nobody has to.
    ///   - fileID: Where failures are said to be posted.
    ///   - line: Where failures are said to be posted.
    ///   - operation: What loads. If it is to be tried again when it fails, it does so itself.
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

    /// Loads, and returns when that has ended.
    ///
    /// Where several loads are under way the newest decides, and an answer overtakes all that began before it. A load
    /// that is cancelled is as if it had never begun: the one before it decides again, also if it has answered
    /// meanwhile; if there is none, the state before comes back. Cancelled is what throws an error that
    /// `ErrorMatcher.cancellation` matches or, in a cancelled task, `URLError.cancelled`.
    ///
    /// Any other failure is posted, once, that of an overtaken load too: it changes nothing on the screen, but nobody
    /// else would hear of it. The ambient poster is the one of the task that calls this.
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

    /// Goes back to the beginning: forgets what was loaded, and ignores what loads under way come to.
    ///
    /// It cancels nothing: whoever calls ``load()`` has the task.
    public func reset() {
        change { $0.reset() }
    }

    /// The machine, as somebody sees it who wants to hear of changes.
    private var seen: LoaderMachine<Value, Failure> {
        access(keyPath: \.machine)
        return machine
    }

    /// An event of the machine.
    @discardableResult
    private func change<Result>(_ event: (inout LoaderMachine<Value, Failure>) -> Result) -> Result {
        // What the event lets go of goes at the end of this only: a value's `deinit` may come back here.
        let before = machine
        defer { withExtendedLifetime(before) {} }
        var after = before
        let result = event(&after)
        // Nobody is told of what nobody can see, as a load's end that comes too late.
        guard after.changes != before.changes else {
            machine = after
            return result
        }
        // Observers are told first, and may come back here too: the event is for the machine as they have left it.
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
