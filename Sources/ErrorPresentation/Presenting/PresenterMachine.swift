/// The state machine of a presenter, with the shown and the waiting errors: a plain value.
///
/// It holds only texts and numbers. The presenter keeps the operations to run again, by the numbers that the machine
/// gives to errors, since releasing an operation may run user code.
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

    fileprivate struct Entry {
        var error: PresentedError
        let kind: Kind
        /// Whether the error, or a repeat of it, is the result of the person's own action.
        var isAskedFor: Bool
    }

    /// An operation that is being run again.
    private struct Retry {
        /// The number of the operation's error.
        let id: ID
        var isCancelled = false
        var hasFailed = false
    }

    /// How many may wait.
    let limit: Int
    private(set) var statistics = ErrorPresenter.Statistics()

    private var retry: Retry?
    private var shown: Entry?
    /// The failure of an operation that was run again: it is shown next, before all waiting errors.
    private var next: Entry?
    private var entries: [ID: Entry] = [:]
    private var order: [ID] = []
    /// The errors that repeats of a kind are folded into.
    private var places: [Kind: ID] = [:]
    private var lastID: ID = 0

    /// - Parameter limit: How many may wait.
    init(limit: Int) {
        self.limit = limit
    }

    /// The error to show.
    var current: PresentedError? { shown?.error }
    /// The number of the error whose operation is being run again.
    var retried: ID? { retry?.id }
    /// How many errors wait behind the shown one.
    var waiting: Int { order.count + (next == nil ? 0 : 1) }

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

    /// Places a received error.
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
        let isAskedFor = isAskedFor || error.canRetry
        let count = error.count
        statistics.waiting -= count
        let kind = Kind(type: ObjectIdentifier(type), message: error.message, style: error.style, title: error.title)
        if let failed { failRetry(failed) }
        let comesNext = failed != nil && failed == retried && failed == shown?.error.id && next == nil
        if let id = places[kind] {
            statistics.folded += count
            fold(error, into: id, isAskedFor)
            if comesNext, let entry = entries.removeValue(forKey: id) {
                order.removeAll { $0 == id }
                next = entry
            }
            return .folded(into: id)
        }
        guard shown == nil || comesNext || order.count < limit || isAskedFor && makeRoom() else {
            statistics.discarded += count
            return .discarded
        }
        statistics.folded += count - 1
        lastID += 1
        let entry = Entry(error: error.numbered(lastID), kind: kind, isAskedFor: isAskedFor)
        places[kind] = lastID
        if shown == nil {
            statistics.shown += 1
            shown = entry
            return .shown(lastID)
        }
        statistics.waiting += 1
        if comesNext {
            next = entry
        } else {
            entries[lastID] = entry
            order.append(lastID)
        }
        return .waits(lastID)
    }

    /// Removes the shown error, and shows the next one.
    ///
    /// - Parameter id: The number of the error that is meant; nil for any.
    /// - Returns: The number of the removed error; nil if none was shown, or another one than the one that is meant.
    mutating func dismiss(_ id: ID? = nil) -> ID? {
        guard let seen = shown, id == nil || id == seen.error.id else { return nil }
        // While its operation is run again, another error may be the one that repeats are folded into.
        if places[seen.kind] == seen.error.id { places[seen.kind] = nil }
        if let entry = next.take() {
            shown = entry
        } else if !order.isEmpty {
            shown = entries.removeValue(forKey: order.removeFirst())
        } else {
            shown = nil
            return seen.error.id
        }
        statistics.waiting -= 1
        statistics.shown += 1
        return seen.error.id
    }

    /// Begins to run the operation of the shown error again.
    ///
    /// - Parameter id: The number of the error that is meant; nil for any.
    /// - Returns: The error's number; nil if another error is shown, if the error has no operation, or if an operation
    ///   is being run again already.
    mutating func beginRetry(_ id: ID? = nil) -> ID? {
        guard retry == nil, let shown, shown.error.canRetry, id == nil || id == shown.error.id else { return nil }
        retry = Retry(id: shown.error.id)
        // From now on an error of the same kind is a new error, not a repeat.
        if places[shown.kind] == retried { places[shown.kind] = nil }
        return retried
    }

    /// Notes that the operation has failed, whether or not its failure is shown.
    ///
    /// - Parameter id: The number of the operation's error.
    mutating func failRetry(_ id: ID) {
        if id == retried { retry?.hasFailed = true }
    }

    /// Notes that the operation was cancelled, and will end without a result.
    ///
    /// - Parameter id: The number of the operation's error.
    mutating func cancelRetry(_ id: ID) {
        if id == retried { retry?.isCancelled = true }
    }

    /// Ends the operation that is being run again.
    ///
    /// The operation's error is removed, unless it was dismissed meanwhile. If the operation was cancelled and has not
    /// failed, its error stays, since the failure still stands.
    ///
    /// - Returns: The error's number if it was removed.
    mutating func endRetry() -> ID? {
        assert(retry != nil, "an operation ends that was not run again")
        guard let ended = retry.take(), let shown, shown.error.id == ended.id else { return nil }
        guard ended.isCancelled, !ended.hasFailed else { return dismiss() }
        // If an error of the same kind has arrived meanwhile, repeats are folded into that one.
        if places[shown.kind] == nil { places[shown.kind] = ended.id }
        return nil
    }

    private mutating func fold(_ error: PresentedError, into id: ID, _ isAskedFor: Bool) {
        if shown?.error.id == id {
            shown?.add(error, isAskedFor)
        } else if next?.error.id == id {
            next?.add(error, isAskedFor)
        } else {
            entries[id]?.add(error, isAskedFor)
        }
    }

    /// Discards the newest waiting error that is not of the person's own action; its repeats stay counted as folded.
    ///
    /// - Returns: Whether there was such an error.
    private mutating func makeRoom() -> Bool {
        guard let place = order.lastIndex(where: { entries[$0]?.isAskedFor == false }),
            let entry = entries.removeValue(forKey: order.remove(at: place))
        else { return false }
        assert(!entry.error.canRetry, "an operation to run again is forgotten")
        places[entry.kind] = nil
        statistics.waiting -= 1
        statistics.discarded += 1
        return true
    }
}

extension PresenterMachine.Entry {
    /// Adds a repeat.
    fileprivate mutating func add(_ other: PresentedError, _ isAskedFor: Bool) {
        error.count += other.count
        error.canRetry = error.canRetry || other.canRetry
        self.isAskedFor = self.isAskedFor || isAskedFor
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
