import ErrorRouting

/// An error on its way to a presenter.
struct Arrival: Sendable {
    let error: any Error
    /// How many errors it stands for.
    let count: Int
    /// What its poster gave along.
    var metadata: [String: String] = [:]
    var title: String?
    var retry: (@MainActor () async -> Void)?
    /// The number of the error whose operation, run again, failed with this one.
    var retried: PresentedError.ID?
}

/// Where buses leave reports for the main actor, without ever waiting for it.
///
/// Bounded: what does not fit is counted. Whoever fills it when it is empty wakes the main actor, once for all that
/// comes until that takes them.
final class PresenterInbox: Sendable {
    /// What has come since it was last emptied.
    struct Batch {
        fileprivate(set) var arrivals: [Arrival] = []
        /// All that has come; what waits are the arrivals.
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

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// What has come and is not taken, by now.
    var counts: ErrorPresenter.Statistics { state.withLock { $0.batch.counts } }

    /// Takes a report in, on whatever thread.
    ///
    /// - Returns: Whether the main actor has to be woken.
    func receive(_ report: ErrorReport) -> Bool {
        let count = max(report.occurrences, 1)
        let isIgnored = report.outcome.disposition == .ignored
        let arrival = isIgnored ? nil : Arrival(error: report.error, count: count, metadata: report.metadata)
        return add(arrival, count)
    }

    /// Takes an error in.
    ///
    /// - Returns: Whether the main actor has to be woken.
    func receive(_ arrival: Arrival) -> Bool { add(arrival, arrival.count) }

    /// Takes everything out.
    ///
    /// - Parameter atWakeUp: Whether this is what the main actor was woken for, so that the next that comes wakes it
    ///   anew; else the one that is under way takes what comes until then.
    func takeAll(atWakeUp: Bool = false) -> Batch {
        state.withLock { state in
            if atWakeUp { state.isWakeUpDue = false }
            return exchange(&state.batch, for: Batch())
        }
    }

    /// Nobody will take anything any more.
    func close() {
        let left = state.withLock { state in
            state.isClosed = true
            return exchange(&state.batch, for: Batch())
        }
        // Outside of the lock: an error that is an object may run a `deinit`.
        withExtendedLifetime(left) {}
    }

    /// - Parameter arrival: Nil if it is not to be shown.
    private func add(_ arrival: Arrival?, _ count: Int) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.batch.counts.received += count
            if let arrival {
                if state.batch.arrivals.count < capacity {
                    state.batch.arrivals.append(arrival)
                    state.batch.counts.waiting += count
                } else {
                    state.batch.counts.discarded += count
                }
            } else {
                state.batch.counts.never += count
            }
            // Also for what is not shown: who observes the statistics hears of it.
            defer { state.isWakeUpDue = true }
            return !state.isWakeUpDue
        }
    }

    private func exchange(_ value: inout Batch, for other: Batch) -> Batch {
        defer { value = other }
        return value
    }
}
