/// The state machine of a presenter, with the shown and the waiting errors: a plain value.
///
/// Each style has a queue of its own. The machine holds only texts and numbers. The presenter keeps what can be done
/// about an error, by the numbers that the machine gives to errors, since releasing that may run user code.
struct PresenterMachine {
    typealias ID = PresentedError.ID

    /// The properties by which an error is a repeat of another one.
    ///
    /// The title is one of them, since it names the action: two different actions that fail in the same way are two
    /// failures, each with its own operation to run again.
    struct Kind: Hashable {
        let type: ObjectIdentifier
        let message: String
        let style: PresentationStyle
        let title: String?
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
    /// In a full queue, an error of the person's own action takes the place of the newest waiting error that is not.
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
        let count = error.count
        statistics.waiting -= count
        let kind = Kind(type: ObjectIdentifier(type), message: error.message, style: error.style, title: error.title)
        if let failed { failRetry(failed) }
        var queue = queues.removeValue(forKey: error.style) ?? PresenterQueue()
        defer { queues[error.style] = queue }
        // The failure of a retry is shown next, in place of the error that it comes from.
        let comesNext =
            failed.map { retries[$0] != nil && $0 == queue.shown?.error.id } == true && queue.next == nil
        if let id = places[kind] {
            statistics.folded += count
            queue.fold(error, into: id, isAskedFor: isAskedFor)
            if comesNext { queue.moveNext(id) }
            return .folded(into: id)
        }
        guard queue.shown == nil || comesNext || queue.order.count < limit || isAskedFor && makeRoom(in: &queue) else {
            statistics.discarded += count
            return .discarded
        }
        statistics.folded += count - 1
        lastID += 1
        places[kind] = lastID
        let isShown = queue.add(.init(error.numbered(lastID), kind, isAskedFor: isAskedFor), isNext: comesNext)
        if isShown { statistics.shown += 1 } else { statistics.waiting += 1 }
        return isShown ? .shown(lastID) : .waits(lastID)
    }

    /// Removes a shown error, and shows the next one of its style.
    ///
    /// - Parameter id: The error's number.
    /// - Returns: Whether the error was shown.
    mutating func dismiss(_ id: ID) -> Bool {
        guard let seen = entry(shown: id) else { return false }
        // While its operation is run again, another error may be the one that repeats are folded into.
        if places[seen.kind] == id { places[seen.kind] = nil }
        if queues[seen.kind.style]?.showNext() == true {
            statistics.waiting -= 1
            statistics.shown += 1
        }
        return true
    }

    /// Begins to run an error's operation again, or to carry out one of its options.
    ///
    /// - Parameter id: The error's number; the error need not be shown any more.
    mutating func beginRetry(_ id: ID) {
        assert(retries[id] == nil, "an operation is run twice at once")
        retries[id] = Retry()
        // From now on an error of the same kind is a new error, not a repeat.
        if let kind = entry(shown: id)?.kind, places[kind] == id { places[kind] = nil }
    }

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
    /// The operation's error is removed, unless it was dismissed meanwhile. If the operation was cancelled and has not
    /// failed, its error stays, since the failure still stands.
    ///
    /// - Parameter id: The number of the operation's error.
    /// - Returns: Whether the error stays, so that the operation may be run once more.
    mutating func endRetry(_ id: ID) -> Bool {
        guard let ended = retries.removeValue(forKey: id) else {
            assertionFailure("an operation ends that was not run again")
            return false
        }
        guard let kind = entry(shown: id)?.kind else { return false }
        guard ended.isCancelled, !ended.hasFailed else {
            _ = dismiss(id)
            return false
        }
        // If an error of the same kind has arrived meanwhile, repeats are folded into that one.
        if places[kind] == nil { places[kind] = id }
        return true
    }

    /// Returns the number of the waiting error that was discarded for the one placed last; nil if there is none.
    mutating func takeDiscarded() -> ID? { discardedWaiting.take() }

    private func entry(shown id: ID) -> PresenterQueue.Entry? {
        queues.values.lazy.compactMap(\.shown).first { $0.error.id == id }
    }

    /// Discards the newest waiting error that is not of the person's own action; its repeats stay counted as folded.
    ///
    /// - Returns: Whether there was such an error.
    private mutating func makeRoom(in queue: inout PresenterQueue) -> Bool {
        guard let entry = queue.removeNewestNotAskedFor() else { return false }
        assert(!entry.error.canRetry, "an operation to run again is forgotten")
        places[entry.kind] = nil
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
