import ErrorRouting

/// An error on its way to a presenter.
struct Arrival: Sendable {
    let error: any Error
    /// How many errors it represents.
    let count: Int
    var title: String?
    /// Whether the error is the result of the user's own action and didn't come from a bus.
    var isFromUser = false
    var retry: (@MainActor () async -> Void)?
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

        /// Returns the contents and empties the batch.
        fileprivate mutating func take() -> Self {
            defer { self = Self() }
            return self
        }
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
        let count = max(report.occurrences, 1)
        return Self.isNeverShown(report) ? add(nil, neverShown: count) : add(Arrival(error: report.error, count: count))
    }

    /// Adds an error.
    ///
    /// - Returns: Whether the caller has to wake the main actor.
    func receive(_ arrival: Arrival) -> Bool { add(arrival) }

    /// Adds errors that a window gave back, ahead of all others, even if there is no room.
    func putBack(_ arrivals: [Arrival]) {
        state.withLock { state in
            state.batch.arrivals.insert(contentsOf: arrivals, at: 0)
            let count = arrivals.reduce(0) { $0 + $1.count }
            state.batch.counts = state.batch.counts + .init(received: count, waiting: count)
        }
    }

    /// Removes and returns everything.
    ///
    /// - Parameter atWakeUp: Whether the main actor was woken for this call, so that the next addition wakes it again.
    ///   If false, a scheduled wake-up stays scheduled.
    func takeAll(atWakeUp: Bool = false) -> Batch {
        state.withLock { state in
            if atWakeUp { state.isWakeUpDue = false }
            return state.batch.take()
        }
    }

    /// Discards everything and accepts nothing from now on.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            return state.batch.take()
        }
        // Release the errors after unlocking: an error can run a `deinit`.
        withExtendedLifetime(left) {}
    }

    /// Returns whether a report's errors are never shown, whatever the rules decide.
    ///
    /// Don't call it under the lock: user code can decide whether an error is a cancellation.
    private static func isNeverShown(_ report: ErrorReport) -> Bool {
        report.role != .failure || report.outcome.disposition == .ignored || OwnViewMark.isOn(report)
    }

    /// Adds an error, counts errors that are never shown, or both.
    ///
    /// - Parameters:
    ///   - arrival: The error; nil if there is nothing to show.
    ///   - neverShown: How many other errors are never shown.
    private func add(_ arrival: Arrival?, neverShown: Int = 0) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.batch.counts.received += neverShown
            state.batch.counts.neverShown += neverShown
            if let arrival {
                state.batch.counts.received += arrival.count
                if state.batch.arrivals.count < capacity {
                    state.batch.arrivals.append(arrival)
                    state.batch.counts.waiting += arrival.count
                } else {
                    state.batch.counts.discarded += arrival.count
                }
            }
            // Wake it for errors that aren't shown too, so that observers of the statistics are notified.
            defer { state.isWakeUpDue = true }
            return !state.isWakeUpDue
        }
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

    /// Returns the metadata to post with a failure that another view shows.
    static func metadata(for error: any Error) -> [String: String] {
        [key: ErrorReport(error: error, source: ErrorReport.Source()).typeName]
    }

    /// Returns whether a report has the mark of its own error.
    static func isOn(_ report: ErrorReport) -> Bool {
        // Compute the name last: most reports have no mark.
        report.metadata[key].map { $0 == report.typeName } ?? false
    }
}
