import ErrorRouting

/// An error on its way to a presenter.
struct Arrival: Sendable {
    let error: any Error
    /// How many errors it represents.
    let count: Int
    var title: String?
    /// Whether the error is the result of the user's own action and didn't come from a bus.
    var isFromUser = false
    /// Whether the error is hidden regardless of the rules, because its bus ignores it or its task is cancelled.
    var isHidden = false
    /// The failed operation; it returns false if it was cancelled without a result.
    var retry: (@MainActor () async -> Bool)?
    /// The ID of the error whose retry failed with this error.
    var retried: PresentedError.ID?
}

/// A bounded buffer in which buses store reports for the main actor without waiting for it.
///
/// Reports that don't fit count as discarded. An error that is hidden regardless of the rules is only counted and
/// doesn't need room. A caller that adds an error while no wake-up is scheduled wakes the main actor, which then takes
/// the whole batch.
final class PresenterInbox: Sendable {
    /// The contents since the inbox was last emptied.
    struct Batch {
        fileprivate(set) var arrivals: [Arrival] = []
        /// The counts of all errors that were added.
        ///
        /// `waiting` counts the errors in `arrivals`.
        fileprivate(set) var counts = ErrorPresenter.Statistics()
    }

    private struct State {
        var batch = Batch()
        var isWakeUpDue = false
        var isClosed = false
    }

    /// How many arrivals it can hold.
    let capacity: Int
    private let state = Locked(State())

    init(capacity: Int) { self.capacity = capacity }

    /// The counts of the errors that were added but not taken yet.
    var counts: ErrorPresenter.Statistics { state.withLock { $0.batch.counts } }

    /// Adds a report, on any thread.
    ///
    /// - Returns: Whether the caller must wake the main actor.
    func receive(_ report: ErrorReport) -> Bool {
        let arrival = Arrival(error: report.error, count: max(report.occurrences, 1))
        // Decide before locking: reading the metadata can run the error's code.
        let isShown = report.role == .failure && report.outcome.disposition != .ignored && !OwnViewMark.isOn(report)
        return receive(arrival, isShown: isShown)
    }

    /// Adds an error, or only counts it if `isShown` is false.
    ///
    /// - Returns: Whether the caller must wake the main actor.
    func receive(_ arrival: Arrival, isShown: Bool = true) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            if !isShown {
                state.batch.counts.neverShown += arrival.count
            } else if state.batch.arrivals.count < capacity {
                state.batch.arrivals.append(arrival)
                state.batch.counts.waiting += arrival.count
            } else {
                state.batch.counts.discarded += arrival.count
            }
            // Wake the main actor for hidden errors too, so that observers of the statistics are notified.
            defer { state.isWakeUpDue = true }
            return !state.isWakeUpDue
        }
    }

    /// Inserts errors that a window gave back, ahead of all other errors, even if the inbox is full.
    func putBack(_ arrivals: [Arrival]) {
        state.withLock { state in
            state.batch.arrivals.insert(contentsOf: arrivals, at: 0)
            state.batch.counts.waiting += arrivals.reduce(0) { $0 + $1.count }
        }
    }

    /// Removes and returns the batch.
    ///
    /// If the main actor was woken for this call (`atWakeUp`), the next addition wakes it again. Otherwise, a scheduled
    /// wake-up stays scheduled.
    func takeAll(atWakeUp: Bool = false) -> Batch {
        state.withLock { state in
            if atWakeUp { state.isWakeUpDue = false }
            defer { state.batch = Batch() }
            return state.batch
        }
    }

    /// Discards the batch and ignores all further errors.
    func close() {
        state.withLock { $0.isClosed = true }
        // Release the errors after unlocking: releasing an error can run a `deinit`.
        _ = takeAll()
    }
}

/// Marks the report of a failure that another view shows, so that presenters don't show it too.
///
/// An error doesn't have an identity, so the mark is in the report's metadata. It contains the name of the error's
/// type, because other errors can inherit the metadata. For example, an `ActionFailure` inherits the metadata of the
/// report that the failed action handled, but no other view shows the `ActionFailure`.
enum OwnViewMark {
    /// The key in a report's metadata.
    static let key = "presentation.shown"

    /// Returns whether a report contains the mark for its own error.
    static func isOn(_ report: ErrorReport) -> Bool {
        // Compute the name last: most reports have no mark.
        report.metadata[key].map { $0 == report.typeName } ?? false
    }
}

extension ErrorPosting {
    /// Posts a failure with the mark, because its own view shows it.
    ///
    /// An error that only reports this task's cancellation isn't posted.
    func postShown(_ error: any Error, _ source: ErrorReport.Source) {
        guard let role = Cancellation.role(of: error) else { return }
        let name = ErrorReport(error: error, source: source).typeName
        post(error, as: role, metadata: [OwnViewMark.key: name], source: source)
    }
}
