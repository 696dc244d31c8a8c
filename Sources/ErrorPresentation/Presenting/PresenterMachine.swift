/// The state machine of a presenter with the shown and the waiting errors: a plain value.
///
/// Each style has its own queue. The machine contains only texts and numbers. The presenter retains the recoveries
/// under the machine's numbers, because releasing a recovery can run user code.
struct PresenterMachine {
    typealias ID = PresentedError.ID

    /// The properties that make an error a repeat of another one.
    ///
    /// The title is one of them, because it might come from a rule and name the failed action.
    private struct Kind: Hashable {
        let type: ObjectIdentifier
        let message: String
        let style: PresentationStyle
        let title: String?
    }

    /// The result of adding an error.
    enum Placement: Hashable {
        case shown(ID)
        case waits(ID)
        /// A repeat, which is counted in a shown or waiting error.
        case merged(into: ID)
        case discarded
    }

    /// The part of its style's queue that contains an error.
    private enum Position {
        case shown
        /// The failures of retries, and errors that are shown again, which precede the other waiting errors.
        case next
        case waiting
    }

    private struct Entry {
        var error: PresentedError
        /// The kind of the repeats that are merged into the error; nil if none are.
        let kind: Kind?
        var position: Position
        /// Whether the error, or a repeat of it, is the result of the user's own action.
        var isFromUser: Bool
        /// Whether the error is or was shown; then it counts as shown even while it waits to be shown again.
        var wasShown: Bool

        func isIn(_ position: Position, _ style: PresentationStyle) -> Bool {
            self.position == position && error.style == style
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
    /// The errors of all styles; those in one position of a style are in the order in which they are shown.
    private var entries: [Entry] = []
    /// The errors into which repeats of a kind are merged.
    private var mergeTargets: [Kind: ID] = [:]
    private var lastID: ID = 0
    private var discardedWaiting: ID?

    /// - Parameter limit: How many errors may wait in each style.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether an operation is being retried or an option is being performed.
    var isRetrying: Bool { !retries.isEmpty }

    /// Returns the error to show in a style.
    func shown(as style: PresentationStyle) -> PresentedError? { index(of: .shown, style).map { entries[$0].error } }

    /// Counts errors that the presenter received.
    ///
    /// Afterwards, each error that counts as waiting must be added or skipped.
    mutating func receive(_ counts: ErrorPresenter.Statistics) {
        assert(counts.isBalanced, "\(counts)")
        statistics = statistics + counts
    }

    /// Counts received errors that aren't shown.
    mutating func skip(_ count: Int = 1) {
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
    mutating func enqueue(
        _ error: PresentedError, type: Any.Type, isFromUser: Bool = false, asFailureOf failed: ID? = nil
    ) -> Placement {
        assert(error.style != .hidden, "an error that is not shown has no place")
        var (error, isFromUser) = (error, isFromUser || error.canRetry)
        let isAnswer = failed.map { retries[$0]?.hasFailed == false } ?? false
        if let failed { failRetry(failed) }
        statistics.waiting -= error.count
        // Don't merge an error that can be retried: each operation needs its own error's button.
        let kind =
            error.canRetry
            ? nil : Kind(type: ObjectIdentifier(type), message: error.message, style: error.style, title: error.title)
        if let kind, let id = mergeTargets[kind], let index = entries.firstIndex(where: { $0.error.id == id }) {
            statistics.merged += error.count
            entries[index].error.count += error.count
            entries[index].isFromUser = entries[index].isFromUser || isFromUser
            if isAnswer, entries[index].position == .waiting {
                var entry = entries.remove(at: index)
                entry.position = .next
                entries.append(entry)
            }
            return .merged(into: id)
        }
        let position = index(of: .shown, error.style) == nil ? Position.shown : isAnswer ? .next : .waiting
        if position == .waiting, entries.count(where: { $0.isIn(.waiting, error.style) }) >= limit {
            guard isFromUser, makeRoom(in: error.style) else {
                statistics.discarded += error.count
                return .discarded
            }
        }
        statistics.merged += error.count - 1
        lastID += 1
        error.id = lastID
        if let kind { mergeTargets[kind] = lastID }
        let isShown = position == .shown
        entries.append(
            Entry(error: error, kind: kind, position: position, isFromUser: isFromUser, wasShown: isShown))
        if isShown { statistics.shown += 1 } else { statistics.waiting += 1 }
        return isShown ? .shown(lastID) : .waits(lastID)
    }

    /// Removes an error that the user has seen, and shows the next one of its style.
    ///
    /// - Parameter id: The error's number.
    /// - Returns: Whether the error was shown or was waiting to be shown again.
    mutating func dismiss(_ id: ID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.error.id == id && $0.wasShown }) else { return false }
        stopMerging(into: entries[index])
        showNext(entries.remove(at: index).error.style)
        return true
    }

    /// Removes shown and waiting errors.
    ///
    /// Those that the user hasn't seen count as discarded.
    ///
    /// - Parameter ids: The errors' numbers.
    mutating func dismissAll(_ ids: Set<ID>) {
        // Remove the waiting errors first, so that none of them is shown briefly.
        for entry in remove(where: { ids.contains($0.error.id) && $0.position != .shown }) where !entry.wasShown {
            statistics.waiting -= 1
            statistics.discarded += 1
        }
        for id in ids { _ = dismiss(id) }
    }

    /// Removes errors from a bus as if they had never arrived, so that another window can show them.
    ///
    /// - Parameter includesShown: Whether to remove also those that the user has seen but not dismissed.
    /// - Returns: The errors' numbers and counts, in the order in which they are shown.
    mutating func giveBack(includesShown: Bool) -> [(id: ID, count: Int)] {
        let isRetrying = retries
        let removed = remove {
            !$0.isFromUser && isRetrying[$0.error.id] == nil && (includesShown || !$0.wasShown)
        }
        for entry in removed {
            statistics.received -= entry.error.count
            statistics.merged -= entry.error.count - 1
            if entry.wasShown { statistics.shown -= 1 } else { statistics.waiting -= 1 }
        }
        for entry in removed { showNext(entry.error.style) }
        return removed.map { ($0.error.id, $0.error.count) }
    }

    /// Begins a retry of an error's operation, or one of its options.
    ///
    /// - Parameter id: The error's number. The error might no longer be shown.
    mutating func beginRetry(_ id: ID) {
        assert(retries[id] == nil, "an operation is run twice at once")
        retries[id] = Retry()
        // From now on, an error of the same kind is a new error, not a repeat.
        if let entry = entry(shown: id) { stopMerging(into: entry) }
    }

    /// Returns whether an error's operation is being retried or one of its options performed.
    func isRetrying(_ id: ID) -> Bool { retries[id] != nil }

    /// Records that the operation failed, whether or not its failure is shown.
    ///
    /// - Parameter id: The number of the operation's error.
    mutating func failRetry(_ id: ID) { retries[id]?.hasFailed = true }

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
        guard let ended = retries.removeValue(forKey: error.id) else {
            assertionFailure("an operation ends that was not run again")
            return false
        }
        guard ended.isCancelled, !ended.hasFailed, !isDismissed else {
            _ = dismiss(error.id)
            return false
        }
        if let entry = entry(shown: error.id) {
            // Merge repeats into this error again, unless a newer error of its kind arrived during the retry.
            if let kind = entry.kind, mergeTargets[kind] == nil { mergeTargets[kind] = error.id }
        } else if !entries.contains(where: { $0.error.id == error.id }) {
            let position = index(of: .shown, error.style) == nil ? Position.shown : .next
            entries.insert(
                Entry(error: error, kind: nil, position: position, isFromUser: true, wasShown: true), at: 0)
        }
        return true
    }

    /// Returns the number of the waiting error that the last added error replaced; nil if there is none.
    mutating func takeDiscarded() -> ID? { discardedWaiting.take() }

    private func index(of position: Position, _ style: PresentationStyle) -> Int? {
        entries.firstIndex { $0.isIn(position, style) }
    }

    private func entry(shown id: ID) -> Entry? {
        entries.first { $0.error.id == id && $0.position == .shown }
    }

    private mutating func remove(where isRemoved: (Entry) -> Bool) -> [Entry] {
        let removed = entries.filter(isRemoved)
        entries.removeAll(where: isRemoved)
        for entry in removed { stopMerging(into: entry) }
        return removed
    }

    /// Shows the next error of a style if none is shown.
    private mutating func showNext(_ style: PresentationStyle) {
        guard index(of: .shown, style) == nil, let next = index(of: .next, style) ?? index(of: .waiting, style)
        else { return }
        entries[next].position = .shown
        if entries[next].wasShown { return }
        entries[next].wasShown = true
        statistics.waiting -= 1
        statistics.shown += 1
    }

    /// Stops merging repeats into an error, unless another error of its kind already receives them.
    private mutating func stopMerging(into entry: Entry) {
        if let kind = entry.kind, mergeTargets[kind] == entry.error.id { mergeTargets[kind] = nil }
    }

    /// Discards the newest waiting error that isn't the result of the user's own action.
    ///
    /// Its repeats still count as merged.
    ///
    /// - Returns: Whether there was such an error.
    private mutating func makeRoom(in style: PresentationStyle) -> Bool {
        guard let index = entries.lastIndex(where: { $0.isIn(.waiting, style) && !$0.isFromUser }) else { return false }
        let entry = entries.remove(at: index)
        assert(!entry.error.canRetry, "an operation to run again is forgotten")
        stopMerging(into: entry)
        discardedWaiting = entry.error.id
        statistics.waiting -= 1
        statistics.discarded += 1
        return true
    }
}
