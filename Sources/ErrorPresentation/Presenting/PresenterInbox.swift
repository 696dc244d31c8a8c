import ErrorRouting

/// An error on its way to a presenter.
struct Arrival: Sendable {
    let error: any Error
    /// How many errors it stands for.
    let count: Int
    var title: String?
    /// Whether the error is the result of the person's own action, and did not come from a bus.
    var isAskedFor = false
    var retry: (@MainActor () async -> Void)?
    /// The number of the error whose operation was run again and failed with this error.
    var retried: PresentedError.ID?
}

/// A bounded buffer in which buses leave reports for the main actor, without waiting for it.
///
/// Reports that do not fit are counted as discarded. Errors that are never shown are counted at once and need no room,
/// if that is known without the main actor. A caller that adds something while no wake-up is due wakes the main actor,
/// which then takes everything at once.
final class PresenterInbox: Sendable {
    /// The contents since the inbox was last emptied.
    struct Batch {
        fileprivate(set) var arrivals: [Arrival] = []
        /// The counts of everything that was added; `waiting` counts the arrivals.
        fileprivate(set) var counts = ErrorPresenter.Statistics()
    }

    private struct State {
        var batch = Batch()
        var isWakeUpDue = false
        var isClosed = false
    }

    /// How many arrivals it holds.
    let capacity: Int
    private let state = Locked(State())

    /// - Parameter capacity: How many arrivals it holds.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The counts of everything that was added and is not taken yet.
    var counts: ErrorPresenter.Statistics { state.withLock { $0.batch.counts } }

    /// Adds a report; called on any thread.
    ///
    /// - Returns: Whether the caller has to wake the main actor.
    func receive(_ report: ErrorReport) -> Bool {
        let count = max(report.occurrences, 1)
        return Self.isNeverShown(report) ? add(nil, never: count) : add(Arrival(error: report.error, count: count))
    }

    /// Adds an error.
    ///
    /// - Returns: Whether the caller has to wake the main actor.
    func receive(_ arrival: Arrival) -> Bool { add(arrival) }

    /// Removes everything, and returns it.
    ///
    /// - Parameter atWakeUp: Whether the main actor was woken for this call, so that the next addition wakes it again.
    ///   If false, a wake-up that is due stays due.
    func takeAll(atWakeUp: Bool = false) -> Batch {
        state.withLock { state in
            if atWakeUp { state.isWakeUpDue = false }
            return exchange(&state.batch, for: Batch())
        }
    }

    /// Discards everything, and accepts no more from now on.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            return exchange(&state.batch, for: Batch())
        }
        // Released after unlocking: an error that is an object may run a `deinit`.
        withExtendedLifetime(left) {}
    }

    /// Returns whether the errors that a report stands for are never shown, whatever the rules say.
    ///
    /// Not called under the lock: user code may decide whether an error is a cancellation.
    private static func isNeverShown(_ report: ErrorReport) -> Bool {
        report.role != .failure || report.outcome.disposition == .ignored || OwnViewMark.isOn(report)
    }

    /// Adds an error, or counts errors that are not shown, or both.
    ///
    /// - Parameters:
    ///   - arrival: The error; nil if there is nothing to show.
    ///   - never: How many further errors are not shown.
    private func add(_ arrival: Arrival?, never: Int = 0) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.batch.counts.received += never
            state.batch.counts.never += never
            if let arrival {
                state.batch.counts.received += arrival.count
                if state.batch.arrivals.count < capacity {
                    state.batch.arrivals.append(arrival)
                    state.batch.counts.waiting += arrival.count
                } else {
                    state.batch.counts.discarded += arrival.count
                }
            }
            // Also for errors that are not shown, so that observers of the statistics are told.
            defer { state.isWakeUpDue = true }
            return !state.isWakeUpDue
        }
    }

    private func exchange(_ value: inout Batch, for other: Batch) -> Batch {
        defer { value = other }
        return value
    }
}

/// The mark on the report of a failure that its own view shows: no presenter shows it too.
///
/// An error has no identity, so the mark is in the report's metadata. It names the error's type, since other errors
/// inherit metadata: an `ActionFailure` has the metadata of the report whose action failed, and no view shows it.
enum OwnViewMark {
    /// The key in a report's metadata.
    static let key = "presentation.shown"

    /// Returns the metadata to post with a failure that its own view shows.
    static func metadata(for error: any Error) -> [String: String] {
        [key: ErrorReport(error: error, source: ErrorReport.Source()).typeName]
    }

    /// Returns whether a report has the mark of its own error.
    static func isOn(_ report: ErrorReport) -> Bool {
        // The name is asked for last: most reports have no mark.
        report.metadata[key].map { $0 == report.typeName } ?? false
    }
}
