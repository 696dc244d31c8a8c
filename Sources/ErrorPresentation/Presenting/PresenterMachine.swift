/// The state machine of a presenter with the shown and the waiting errors: a plain value.
///
/// Each style has its own queue, and the first error of each queue is shown. Releasing an error's recovery can run user
/// code, so a caller retains the errors that a function removes until it returns.
struct PresenterMachine {
    typealias ID = PresentedError.ID

    private struct Entry {
        var error: PresentedError
        /// The error's type; nil if no repeats are merged into the error.
        let type: ObjectIdentifier?
        /// Whether the error, or a repeat of it, is the result of the user's own action.
        var isFromUser: Bool
        /// Whether the error is the failure of a retry, which precedes the waiting errors.
        var isNext = false
        /// Whether the error is or was shown; then it counts as shown even while it waits to be shown again.
        var wasShown = false

        func waits(as style: PresentationStyle) -> Bool { error.style == style && !isNext && !wasShown }

        /// Returns whether an error is a repeat of this one.
        ///
        /// The title must be the same, because it might come from a rule and name the failed action. An error that can
        /// be retried is never merged, because each operation needs its own error's button.
        func isRepeated(by other: Entry) -> Bool {
            type == other.type && error.style == other.error.style && error.title == other.error.title
                && error.message == other.error.message && !error.canRetry && !other.error.canRetry
        }
    }

    /// A running retry of an operation, or a running recovery option.
    private struct Retry {
        var isCancelled = false
        var hasFailed = false
    }

    /// How many errors may wait in each style.
    let limit: Int
    private(set) var statistics = ErrorPresenter.Statistics()

    private var retries: [ID: Retry] = [:]
    /// The errors of all styles; those of one style are in the order in which they are shown.
    private var entries: [Entry] = []
    private var lastID: ID = 0

    /// - Parameter limit: How many errors may wait in each style.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether an operation is being retried or an option is being performed.
    var isRetrying: Bool { !retries.isEmpty }

    /// The shown and waiting errors.
    var errors: [PresentedError] { entries.map(\.error) }

    /// Returns the error to show in a style.
    func shown(as style: PresentationStyle) -> PresentedError? { entries.first { $0.error.style == style }?.error }

    /// Counts errors that the presenter received.
    ///
    /// Afterwards, each error that counts as waiting must be added or skipped.
    mutating func receive(_ counts: ErrorPresenter.Statistics) { statistics = statistics + counts }

    /// Counts received errors that aren't shown.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - failed: The number of the error whose retry failed with them.
    mutating func skip(_ count: Int, asFailureOf failed: ID? = nil) {
        if let failed { failRetry(failed) }
        statistics.waiting -= count
        statistics.neverShown += count
    }

    /// Adds a received error to the queue of its style.
    ///
    /// The first failure of a retry answers the user's tap, so it is shown next. In a full queue, any other error of
    /// the user's own action replaces the newest waiting error from a bus.
    ///
    /// - Parameters:
    ///   - error: The error to show. Its number is ignored. Its count is the number of errors that it represents.
    ///   - type: The error's type.
    ///   - isFromUser: Whether the error is the result of the user's own action, as are all errors that can be retried.
    ///   - failed: The number of the error whose retry failed with this error.
    /// - Returns: The error that was discarded because the queue is full, this one or another; nil if none was.
    mutating func enqueue(
        _ error: PresentedError, type: Any.Type, isFromUser: Bool = false, asFailureOf failed: ID? = nil
    ) -> PresentedError? {
        assert(error.style != .hidden, "an error that is not shown has no place")
        var entry = Entry(error: error, type: ObjectIdentifier(type), isFromUser: isFromUser || error.canRetry)
        entry.isNext = failed.map { retries[$0]?.hasFailed == false } ?? false
        if let failed { failRetry(failed) }
        statistics.waiting -= error.count
        // While an error's option is performed, an error like it is a new one.
        if let index = entries.firstIndex(where: { $0.isRepeated(by: entry) && !isRetrying($0.error.id) }) {
            statistics.merged += error.count
            entries[index].error.count += error.count
            entries[index].isFromUser = entries[index].isFromUser || entry.isFromUser
            if entry.isNext, entries[index].waits(as: error.style) {
                entry = entries.remove(at: index)
                entry.isNext = true
                insert(entry)
            }
            return nil
        }
        var discarded: PresentedError?
        if shown(as: error.style) != nil, !entry.isNext, entries.count(where: { $0.waits(as: error.style) }) >= limit {
            let replaced = entries.lastIndex { $0.waits(as: error.style) && !$0.isFromUser }
            guard entry.isFromUser, let replaced else {
                statistics.discarded += error.count
                return error
            }
            // Its repeats still count as merged.
            discarded = entries.remove(at: replaced).error
            statistics.waiting -= 1
            statistics.discarded += 1
        }
        statistics.merged += error.count - 1
        statistics.waiting += 1
        lastID += 1
        entry.error.id = lastID
        insert(entry)
        return discarded
    }

    /// Removes an error that the user has seen, and shows the next one of its style.
    ///
    /// - Parameter id: The error's number.
    /// - Returns: The error if it was shown or was waiting to be shown again.
    mutating func dismiss(_ id: ID) -> PresentedError? { remove { $0.error.id == id && $0.wasShown }.first?.error }

    /// Removes shown and waiting errors.
    ///
    /// Those that the user hasn't seen count as discarded.
    ///
    /// - Parameter ids: The errors' numbers.
    mutating func dismissAll(_ ids: Set<ID>) {
        for entry in remove(where: { ids.contains($0.error.id) }) where !entry.wasShown {
            statistics.waiting -= 1
            statistics.discarded += 1
        }
    }

    /// Removes errors from a bus as if they had never arrived, so that another window can show them.
    ///
    /// - Parameter includesShown: Whether to remove also those that the user has seen but not dismissed.
    /// - Returns: The errors, in the order in which they are shown.
    mutating func giveBack(includesShown: Bool) -> [PresentedError] {
        let retries = retries
        let removed = remove { !$0.isFromUser && retries[$0.error.id] == nil && (includesShown || !$0.wasShown) }
        for entry in removed {
            statistics.merged -= entry.error.count - 1
            if entry.wasShown { statistics.shown -= 1 } else { statistics.waiting -= 1 }
        }
        return removed.map(\.error)
    }

    /// Begins a retry of an error's operation, or one of its options.
    ///
    /// - Parameter id: The error's number. The error might no longer be shown.
    mutating func beginRetry(_ id: ID) {
        assert(retries[id] == nil, "an operation is run twice at once")
        retries[id] = Retry()
    }

    /// Returns whether an error's operation is being retried or one of its options performed.
    func isRetrying(_ id: ID) -> Bool { retries[id] != nil }

    /// Records that the operation failed, whether or not its failure is shown.
    ///
    /// - Parameter id: The number of the operation's error.
    private mutating func failRetry(_ id: ID) { retries[id]?.hasFailed = true }

    /// Records that the operation was cancelled and will end without a result.
    ///
    /// - Parameter id: The number of the operation's error.
    mutating func cancelRetry(_ id: ID) { retries[id]?.isCancelled = true }

    /// Ends a retry or an option.
    ///
    /// The operation's error is removed. If the operation was cancelled and didn't fail, the error stays, because its
    /// failure still stands. It is then shown again even if it was closed, as SwiftUI closes an alert when the user
    /// taps a button.
    ///
    /// - Parameters:
    ///   - error: The operation's error.
    ///   - isDismissed: Whether the user dismissed the error during the retry, so that it must not return.
    /// - Returns: Whether the error stays, so that the operation can be retried again.
    mutating func endRetry(_ error: PresentedError, isDismissed: Bool = false) -> Bool {
        let ended = retries.removeValue(forKey: error.id)
        assert(ended != nil, "an operation ends that was not run again")
        guard let ended, ended.isCancelled, !ended.hasFailed, !isDismissed else {
            _ = dismiss(error.id)
            return false
        }
        if !entries.contains(where: { $0.error.id == error.id }) {
            let next = entries.firstIndex { $0.error.style == error.style }.map { $0 + 1 } ?? entries.endIndex
            entries.insert(Entry(error: error, type: nil, isFromUser: true, wasShown: true), at: next)
        }
        return true
    }

    /// Inserts an error into the queue of its style.
    private mutating func insert(_ entry: Entry) {
        let style = entry.error.style
        let index = entry.isNext ? entries.firstIndex { $0.waits(as: style) } : nil
        entries.insert(entry, at: index ?? entries.endIndex)
        noteShown(style)
    }

    private mutating func remove(where isRemoved: (Entry) -> Bool) -> [Entry] {
        let removed = entries.filter(isRemoved)
        entries.removeAll(where: isRemoved)
        for entry in removed { noteShown(entry.error.style) }
        return removed
    }

    /// Counts the first error of a style as shown.
    private mutating func noteShown(_ style: PresentationStyle) {
        let first = entries.firstIndex { $0.error.style == style }
        guard let first, !entries[first].wasShown else { return }
        entries[first].wasShown = true
        statistics.waiting -= 1
        statistics.shown += 1
    }
}
