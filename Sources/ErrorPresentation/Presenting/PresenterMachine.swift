/// The state machine of a presenter, with the shown and the waiting errors: a plain value.
///
/// Each style has a queue of its own. The machine holds only texts and numbers. The presenter keeps what can be done
/// about an error, by the numbers that the machine gives to errors, since releasing that may run user code.
struct PresenterMachine {
    typealias ID = PresentedError.ID

    /// The properties by which an error is a repeat of another one.
    ///
    /// The title is one of them, since it may come from a rule and name what failed.
    struct Kind: Hashable {
        let type: ObjectIdentifier
        let message: String
        let style: PresentationStyle
        let title: String?

        init(_ error: PresentedError, _ type: Any.Type) {
            self.type = ObjectIdentifier(type)
            (message, style, title) = (error.message, error.style, error.title)
        }
    }

    /// The place that an error got.
    enum Placement: Hashable {
        case shown(ID)
        case waits(ID)
        /// A repeat, counted in an error that is shown or waits.
        case folded(into: ID)
        case discarded
    }

    /// An operation that is being run again, or a recovery option that is being carried out.
    private struct Retry {
        var isCancelled = false
        var hasFailed = false
    }

    /// How many may wait in each style.
    let limit: Int
    private(set) var statistics = ErrorPresenter.Statistics()

    private var retries: [ID: Retry] = [:]
    private var queues: [PresentationStyle: PresenterQueue] = [:]
    /// The errors that repeats of a kind are folded into.
    private var places: [Kind: ID] = [:]
    private var lastID: ID = 0
    private var discardedWaiting: ID?

    /// - Parameter limit: How many may wait in each style.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether an operation is being run again, or an option carried out.
    var isRetrying: Bool { !retries.isEmpty }

    /// Returns the error to show in a style.
    func shown(as style: PresentationStyle) -> PresentedError? { queues[style]?.shown?.error }

    /// Counts errors that the presenter has received.
    ///
    /// Each of them that is counted as waiting is placed, or passed over, afterwards.
    mutating func receive(_ counts: ErrorPresenter.Statistics) {
        assert(counts.isBalanced, "\(counts)")
        statistics = statistics + counts
    }

    /// Counts received errors that are not shown.
    mutating func pass(_ count: Int = 1) {
        statistics.waiting -= count
        statistics.never += count
    }

    /// Places a received error in the queue of its style.
    ///
    /// The first failure of a retry is the answer to a person's tap: it is shown next. In a full queue, another error
    /// of the person's own action takes the place of the newest waiting error that is not.
    ///
    /// - Parameters:
    ///   - error: The error as it is shown; its number is ignored, and its count is how many errors it stands for.
    ///   - type: The error's type.
    ///   - isAskedFor: Whether the error is the result of the person's own action; true of all that can be retried.
    ///   - failed: The number of the error whose operation was run again and failed with this error.
    mutating func place(
        _ error: PresentedError,
        type: Any.Type,
        isAskedFor: Bool = false,
        asFailureOf failed: ID? = nil
    ) -> Placement {
        assert(error.style != .hidden, "an error that is not shown has no place")
        let isAskedFor = isAskedFor || error.canRetry
        let isAnswer = failed.map { retries[$0]?.hasFailed == false } ?? false
        if let failed { failRetry(failed) }
        statistics.waiting -= error.count
        var queue = queues.removeValue(forKey: error.style) ?? PresenterQueue()
        defer { queues[error.style] = queue }
        // An error with a retry of its own is no repeat: each operation is run by its own error's button.
        let kind = error.canRetry ? nil : Kind(error, type)
        if let kind, let id = places[kind] {
            statistics.folded += error.count
            queue.fold(error.count, into: id, isAskedFor: isAskedFor)
            if isAnswer { queue.moveNext(id) }
            return .folded(into: id)
        }
        let hasRoom = queue.shown == nil || isAnswer || queue.waiting.count < limit
        guard hasRoom || isAskedFor && makeRoom(in: &queue) else {
            statistics.discarded += error.count
            return .discarded
        }
        statistics.folded += error.count - 1
        lastID += 1
        if let kind { places[kind] = lastID }
        let isShown = queue.add(.init(error.numbered(lastID), kind, isAskedFor: isAskedFor), isNext: isAnswer)
        if isShown { statistics.shown += 1 } else { statistics.waiting += 1 }
        return isShown ? .shown(lastID) : .waits(lastID)
    }

    /// Removes an error that a person has seen, and shows the next one of its style.
    ///
    /// - Parameter id: The error's number.
    /// - Returns: Whether the error was shown, or was waiting to be shown again.
    mutating func dismiss(_ id: ID) -> Bool {
        if let seen = entry(shown: id) {
            forgetPlace(of: seen)
            if let next = queues[seen.error.style]?.showNext(), !next.wasShown {
                statistics.waiting -= 1
                statistics.shown += 1
            }
            return true
        }
        for (style, queue) in queues where queue.next.contains(where: { $0.error.id == id && $0.wasShown }) {
            return queues[style]?.removeWaiting(id) != nil
        }
        return false
    }

    /// Removes errors that are shown or wait; those that nobody has seen count as discarded.
    ///
    /// - Parameter ids: The errors' numbers.
    mutating func dismissAll(_ ids: Set<ID>) {
        // The waiting ones first, so that none of them is shown for a moment.
        for id in ids {
            for style in queues.keys {
                guard let entry = queues[style]?.removeWaiting(id) else { continue }
                forgetPlace(of: entry)
                if entry.wasShown { continue }
                statistics.waiting -= 1
                statistics.discarded += 1
            }
        }
        for id in ids { _ = dismiss(id) }
    }

    /// Begins to run an error's operation again, or to carry out one of its options.
    ///
    /// - Parameter id: The error's number; the error need not be shown any more.
    mutating func beginRetry(_ id: ID) {
        assert(retries[id] == nil, "an operation is run twice at once")
        retries[id] = Retry()
        // From now on an error of the same kind is a new error, not a repeat.
        if let entry = entry(shown: id) { forgetPlace(of: entry) }
    }

    /// Returns whether an error's operation is being run again, or one of its options carried out.
    func isRetrying(_ id: ID) -> Bool { retries[id] != nil }

    /// Notes that the operation has failed, whether or not its failure is shown.
    ///
    /// - Parameter id: The number of the operation's error.
    mutating func failRetry(_ id: ID) { retries[id]?.hasFailed = true }

    /// Notes that the operation was cancelled, and will end without a result.
    ///
    /// - Parameter id: The number of the operation's error.
    mutating func cancelRetry(_ id: ID) { retries[id]?.isCancelled = true }

    /// Ends the operation that is being run again, or the option that is being carried out.
    ///
    /// The operation's error is removed. If the operation was cancelled and has not failed, the error is there as
    /// before, since the failure still stands: also if it was closed meanwhile, as SwiftUI closes an alert when a
    /// button is tapped.
    ///
    /// - Parameters:
    ///   - error: The operation's error.
    ///   - isDismissed: Whether the person has dismissed the error meanwhile, so that it stays away.
    /// - Returns: Whether the error stays, so that the operation may be run once more.
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
            // If an error of the same kind has arrived meanwhile, repeats are folded into that one.
            if let kind = entry.kind, places[kind] == nil { places[kind] = error.id }
        } else if queues[error.style]?.next.contains(where: { $0.error.id == error.id }) != true {
            var entry = PresenterQueue.Entry(error, nil, isAskedFor: true)
            entry.wasShown = true
            queues[error.style, default: PresenterQueue()].putBack(entry)
        }
        return true
    }

    /// Returns the number of the waiting error that was discarded for the one placed last; nil if there is none.
    mutating func takeDiscarded() -> ID? { discardedWaiting.take() }

    private func entry(shown id: ID) -> PresenterQueue.Entry? {
        queues.values.lazy.compactMap(\.shown).first { $0.error.id == id }
    }

    /// Folds no more repeats into an error, unless another one of its kind has its place already.
    private mutating func forgetPlace(of entry: PresenterQueue.Entry) {
        if let kind = entry.kind, places[kind] == entry.error.id { places[kind] = nil }
    }

    /// Discards the newest waiting error that is not of the person's own action; its repeats stay counted as folded.
    ///
    /// - Returns: Whether there was such an error.
    private mutating func makeRoom(in queue: inout PresenterQueue) -> Bool {
        guard let entry = queue.removeNewestNotAskedFor() else { return false }
        assert(!entry.error.canRetry, "an operation to run again is forgotten")
        forgetPlace(of: entry)
        discardedWaiting = entry.error.id
        statistics.waiting -= 1
        statistics.discarded += 1
        return true
    }
}

extension PresentedError {
    /// Returns the same error with another number.
    fileprivate func numbered(_ id: ID) -> Self {
        Self(
            id: id, style: style, title: title, message: message, recoverySuggestion: recoverySuggestion,
            failureReason: failureReason, recoveryOptions: recoveryOptions, count: count, canRetry: canRetry)
    }
}
