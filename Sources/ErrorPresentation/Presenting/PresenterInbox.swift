import ErrorRouting

/// An error on its way to a presenter.
struct Arrival: Sendable {
    let error: any Error
    /// How many errors it represents.
    let count: Int
    var title: String?
    /// Whether the error is the result of the user's own action and didn't come from a bus.
    var isFromUser = false
    /// Whether the error isn't shown, whatever the rules decide: its bus ignores it, or its task is cancelled.
    var isHidden = false
    /// The failed operation; it returns false if it was cancelled without a result.
    var retry: (@MainActor () async -> Bool)?
    /// The number of the error whose retry failed with this error.
    var retried: PresentedError.ID?
}

/// A bounded buffer in which buses store reports for the main actor without waiting for it.
///
/// Reports that don't fit count as discarded. An error that is never shown, whatever the rules decide, is counted at
/// once and needs no room. A caller that adds something while no wake-up is scheduled wakes the main actor, which then
/// takes everything at once.
final class PresenterInbox: Sendable {
    /// The contents since the inbox was last emptied.
    struct Batch {
        fileprivate(set) var arrivals: [Arrival] = []
        /// The counts of everything that was added.
        ///
        /// `waiting` counts the arrivals.
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

    /// - Parameter capacity: How many arrivals it can hold.
    init(capacity: Int) { self.capacity = capacity }

    /// The counts of everything that was added but not taken yet.
    var counts: ErrorPresenter.Statistics { state.withLock { $0.batch.counts } }

    /// Adds a report.
    ///
    /// It can be called on any thread.
    ///
    /// - Returns: Whether the caller has to wake the main actor.
    func receive(_ report: ErrorReport) -> Bool {
        let arrival = Arrival(error: report.error, count: max(report.occurrences, 1))
        // Decide it before locking: reading the metadata can run code of the error.
        let isShown = report.role == .failure && report.outcome.disposition != .ignored && !OwnViewMark.isOn(report)
        return receive(arrival, isShown: isShown)
    }

    /// Adds an error.
    ///
    /// - Parameters:
    ///   - arrival: The error.
    ///   - isShown: Whether the rules decide whether it is shown. If false, it is only counted.
    /// - Returns: Whether the caller has to wake the main actor.
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
            // Wake it for errors that aren't shown too, so that observers of the statistics are notified.
            defer { state.isWakeUpDue = true }
            return !state.isWakeUpDue
        }
    }

    /// Adds errors that a window gave back, ahead of all others, even if there is no room.
    func putBack(_ arrivals: [Arrival]) {
        state.withLock { state in
            state.batch.arrivals.insert(contentsOf: arrivals, at: 0)
            state.batch.counts.waiting += arrivals.reduce(0) { $0 + $1.count }
        }
    }

    /// Removes and returns everything.
    ///
    /// - Parameter atWakeUp: Whether the main actor was woken for this call, so that the next addition wakes it again.
    ///   If false, a scheduled wake-up stays scheduled.
    func takeAll(atWakeUp: Bool = false) -> Batch {
        state.withLock { state in
            if atWakeUp { state.isWakeUpDue = false }
            defer { state.batch = Batch() }
            return state.batch
        }
    }

    /// Discards everything and accepts nothing from now on.
    func close() {
        state.withLock { $0.isClosed = true }
        // It releases the errors after unlocking: an error can run a `deinit`.
        _ = takeAll()
    }
}

/// Marks the report of a failure that another view shows, so that no presenter shows it too.
///
/// An error has no identity, so the mark is in the report's metadata. It names the error's type, because other errors
/// can inherit the metadata. For example, an `ActionFailure` has the metadata of the report that the failed action
/// handled, and no other view shows it.
enum OwnViewMark {
    /// The key in a report's metadata.
    static let key = "presentation.shown"

    /// Returns whether a report has the mark of its own error.
    static func isOn(_ report: ErrorReport) -> Bool {
        // Compute the name last: most reports have no mark.
        report.metadata[key].map { $0 == report.typeName } ?? false
    }
}

extension ErrorPosting {
    /// Posts a failure that its own view shows, with the mark, unless it only reports that this task is cancelled.
    func postShown(_ error: any Error, _ source: ErrorReport.Source) {
        guard let role = Cancellation.role(of: error) else { return }
        let name = ErrorReport(error: error, source: source).typeName
        post(error, as: role, metadata: [OwnViewMark.key: name], source: source)
    }
}
