import ErrorRouting
import Synchronization

/// An error on its way to a presenter.
struct Arrival: Sendable {
    let error: any Error
    /// How many errors it stands for.
    let count: Int
    var title: String?
    /// Whether it came of what a person asked for, and was not handed over by a bus.
    var isAskedFor = false
    var retry: (@MainActor () async -> Void)?
    /// The number of the error whose operation, run again, failed with this one.
    var retried: PresentedError.ID?
}

/// Where buses leave reports for the main actor, without ever waiting for it.
///
/// Bounded: what does not fit is counted. What is never to be shown, as can be known without the main actor, is counted
/// at once, and takes no room from what is. Whoever puts something in while no wake-up is due wakes the main actor,
/// once for all that comes until that takes them.
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
    private let mark: PresenterMark
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: How many arrivals it holds.
    ///   - mark: What is on the reports of errors that have been shown.
    init(capacity: Int, mark: PresenterMark = PresenterMark()) {
        self.capacity = capacity
        self.mark = mark
    }

    /// What has come and is not taken, by now.
    var counts: ErrorPresenter.Statistics { state.withLock { $0.batch.counts } }

    /// Takes a report in, on whatever thread.
    ///
    /// - Returns: Whether the main actor has to be woken.
    func receive(_ report: ErrorReport) -> Bool {
        let count = max(report.occurrences, 1)
        let never = neverShown(report, of: count)
        return add(never == count ? nil : Arrival(error: report.error, count: count - never), never: never)
    }

    /// Takes an error in.
    ///
    /// - Returns: Whether the main actor has to be woken.
    func receive(_ arrival: Arrival) -> Bool { add(arrival) }

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

    /// How many of the errors that a report stands for are never to be shown, whatever the rules say.
    ///
    /// Not under the lock: whether an error is a cancellation may be for code of the user's to say.
    private func neverShown(_ report: ErrorReport, of count: Int) -> Int {
        if report.outcome.disposition == .ignored { return count }
        // The mark is that of one error. Nobody can tell who has seen the others that a flood limit has added to it.
        let marked = mark.isOn(report.metadata, of: report.error) ? 1 : 0
        return marked < count && Cancellation.says(report.error) ? count : marked
    }

    /// - Parameters:
    ///   - arrival: Nil if there is nothing to show.
    ///   - never: How many errors came besides that are not to be shown.
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

/// How a presenter knows an error again that it has presented and posted.
///
/// An error has no identity: boxed anew it is the same, and two that are equal are not. So the presenter leaves its own
/// number in the metadata of what it posts, with the error's type: metadata is handed on to errors that follow (an
/// `ActionFailure` has that of the report whose action failed), and those are other errors, which nobody has seen.
struct PresenterMark: Sendable {
    /// The key in a report's metadata.
    static let key = "presentation.shown"

    private static let last = Atomic<UInt64>(0)
    private let number = last.add(1, ordering: .relaxed).newValue

    /// What to give along with an error that has been presented.
    func metadata(for error: any Error) -> [String: String] { [Self.key: value(for: error)] }

    /// Whether an error has been presented already.
    func isOn(_ metadata: [String: String], of error: any Error) -> Bool {
        guard let mark = metadata[Self.key] else { return false }
        return mark == value(for: error)
    }

    private func value(for error: any Error) -> String {
        "\(number) \(ErrorReport(error: error, source: ErrorReport.Source()).typeName)"
    }
}
