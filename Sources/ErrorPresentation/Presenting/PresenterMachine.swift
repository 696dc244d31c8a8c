/// A presenter's state machine, which is a plain value with the shown and the waiting errors.
///
/// Each style has its own queue, and the first error of each queue is shown. Releasing an error's recovery can run user
/// code, so a caller must retain the errors that a method removes until the method has returned.
struct PresenterMachine {
    typealias ID = PresentedError.ID

    private struct Entry {
        var error: PresentedError
        /// The error's type; nil if repeats aren't merged into the error.
        let type: ObjectIdentifier?
        /// Whether the error, or a repeat of it, is the result of the user's own action.
        var isFromUser: Bool
        /// Whether the error precedes the waiting errors, because it is the failure of a retry.
        var isNext = false
        /// Whether the error is shown or was shown before.
        ///
        /// Such an error counts as shown even while it is waiting to be shown again.
        var wasShown = false

        func waits(as style: PresentationStyle) -> Bool { error.style == style && !isNext && !wasShown }

        /// Returns whether another error repeats this error.
        ///
        /// The title must be the same, because it might come from a rule and name the failed action. An error that can
        /// be retried is never merged, because each operation needs its own button.
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

    /// How many errors can wait in each style.
    let limit: Int
    private(set) var statistics = ErrorPresenter.Statistics()

    private var retries: [ID: Retry] = [:]
    /// The errors of all styles; within each style, they are in the order in which they are shown.
    private var entries: [Entry] = []
    private var lastID: ID = 0

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
    /// The caller must then add or skip each error that counts as waiting.
    mutating func receive(_ counts: ErrorPresenter.Statistics) { statistics = statistics + counts }

    /// Counts received errors that aren't shown; `failed` is the retried error if its retry threw these errors.
    mutating func skip(_ count: Int, asFailureOf failed: ID? = nil) {
        if let failed { failRetry(failed) }
        statistics.waiting -= count
        statistics.neverShown += count
    }

    /// Adds a received error to the queue of its style.
    ///
    /// The error's count is the number of errors that it represents; its ID is ignored. An error that can be retried
    /// always counts as the result of the user's own action. The first failure of a retry answers the user's tap, so it
    /// is shown next. In a full queue, any other error from the user's own action replaces the newest waiting error
    /// from a bus.
    ///
    /// - Returns: The error that was discarded because the queue is full, which might be the added error; nil if there
    ///   was room.
    mutating func enqueue(
        _ error: PresentedError, type: Any.Type, isFromUser: Bool = false, asFailureOf failed: ID? = nil
    ) -> PresentedError? {
        assert(error.style != .hidden, "an error that is not shown has no place")
        var entry = Entry(error: error, type: ObjectIdentifier(type), isFromUser: isFromUser || error.canRetry)
        entry.isNext = failed.map { retries[$0]?.hasFailed == false } ?? false
        if let failed { failRetry(failed) }
        statistics.waiting -= error.count
        // Don't merge into an error whose option is being performed: that error disappears when it has recovered.
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
            // The replaced error's repeats still count as merged.
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

    /// Removes an error that the user has seen and shows the next error of its style.
    ///
    /// - Returns: The error if it was shown or was waiting to be shown again; otherwise nil.
    mutating func dismiss(_ id: ID) -> PresentedError? { remove { $0.error.id == id && $0.wasShown }.first?.error }

    /// Removes shown and waiting errors by their IDs.
    ///
    /// Errors that the user hasn't seen count as discarded.
    mutating func dismissAll(_ ids: Set<ID>) {
        for entry in remove(where: { ids.contains($0.error.id) }) where !entry.wasShown {
            statistics.waiting -= 1
            statistics.discarded += 1
        }
    }

    /// Removes the errors that came from a bus, as if they had never arrived, so that another window can show them.
    ///
    /// If `includesShown` is true, the errors that the user has seen but not dismissed are removed too.
    ///
    /// - Returns: The errors, in the order in which they are shown.
    mutating func removeBusErrors(includesShown: Bool) -> [PresentedError] {
        let retries = retries
        let removed = remove { !$0.isFromUser && retries[$0.error.id] == nil && (includesShown || !$0.wasShown) }
        for entry in removed {
            statistics.merged -= entry.error.count - 1
            if entry.wasShown { statistics.shown -= 1 } else { statistics.waiting -= 1 }
        }
        return removed.map(\.error)
    }

    /// Records that an error's operation is being retried, or that one of its options is being performed.
    ///
    /// The error might no longer be shown.
    mutating func beginRetry(_ id: ID) {
        assert(retries[id] == nil, "an operation is run twice at once")
        retries[id] = Retry()
    }

    /// Returns whether an error's operation is being retried or one of its options is being performed.
    func isRetrying(_ id: ID) -> Bool { retries[id] != nil }

    /// Records that an error's operation failed, whether or not its failure is shown.
    private mutating func failRetry(_ id: ID) { retries[id]?.hasFailed = true }

    /// Records that an error's operation was cancelled and will finish without a result.
    mutating func cancelRetry(_ id: ID) { retries[id]?.isCancelled = true }

    /// Records that a retry or an option has finished.
    ///
    /// The operation's error is removed, unless the operation was cancelled and didn't fail. In that case the error
    /// stays, because its failure hasn't been resolved, and it is shown again even if it was closed: SwiftUI closes an
    /// alert when the user taps a button. If the user dismissed the error during the retry (`isDismissed`), it is
    /// always removed.
    ///
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
