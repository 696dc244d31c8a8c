/// What a presenter shows, and what waits: a plain value, whose events say what became of each error.
///
/// It holds texts and numbers alone. Operations to run again are kept beside it, by the numbers that it gives out: to
/// let go of one may run code of the user's.
struct PresenterMachine {
    typealias ID = PresentedError.ID

    /// What makes an error a repeat of another one.
    ///
    /// The title is among them, since it says what was tried: two operations that fail alike are two failures, each to
    /// be run again by itself.
    struct Kind: Hashable {
        let type: ObjectIdentifier
        let message: String
        let style: PresentationStyle
        let title: String?
    }

    /// What became of an error.
    enum Placement: Hashable {
        case shown(ID)
        case waits(ID)
        /// One that is shown, or waits, stands for it.
        case folded(into: ID)
        case discarded
    }

    fileprivate struct Entry {
        var error: PresentedError
        let kind: Kind
        /// Whether it, or a repeat of it, is what became of something that a person asked for.
        var isAskedFor: Bool
    }

    /// An operation that is being run again.
    private struct Retry {
        /// The number of its error.
        let id: ID
        var isCancelled = false
        var hasFailed = false
    }

    /// How many may wait.
    let limit: Int
    private(set) var statistics = ErrorPresenter.Statistics()

    private var retry: Retry?
    private var shown: Entry?
    /// The failure of an operation that was run again: it comes next, before all that wait.
    private var next: Entry?
    private var entries: [ID: Entry] = [:]
    private var order: [ID] = []
    /// Which one stands for repeats of a kind.
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
    /// How many wait behind it.
    var waiting: Int { order.count + (next == nil ? 0 : 1) }

    /// Errors have been handed over.
    ///
    /// What still waits among them is to be placed, or passed over, one after the other.
    mutating func receive(_ counts: ErrorPresenter.Statistics) {
        assert(counts.isBalanced, "\(counts)")
        statistics = statistics + counts
    }

    /// An error that was received is not to be shown.
    mutating func pass(_ count: Int = 1) {
        statistics.waiting -= count
        statistics.never += count
    }

    /// An error that was received gets its place.
    ///
    /// Where as many wait as may, one that was asked for takes the place of the newest that was not.
    ///
    /// - Parameters:
    ///   - error: How it is to be shown; its number is ignored, and its count is how many errors it stands for.
    ///   - type: The error's type.
    ///   - isAskedFor: Whether it came of what a person asked for, as all do that can be retried.
    ///   - failed: The number of the error whose operation, run again, failed with this one.
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

    /// The error that is shown has been seen; the next one is shown.
    ///
    /// - Parameter id: The number of the error that is meant; nil for any.
    /// - Returns: The number of the one that was shown; nil if none was, or another one than the one that is meant.
    mutating func dismiss(_ id: ID? = nil) -> ID? {
        guard let seen = shown, id == nil || id == seen.error.id else { return nil }
        // While it is tried again another one may stand for its kind.
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

    /// The operation behind the error that is shown is to be run again.
    ///
    /// - Parameter id: The number of the error that is meant; nil for any.
    /// - Returns: The error's number; nil if another one is meant, if it has no operation, or if one is being run again
    ///   already.
    mutating func beginRetry(_ id: ID? = nil) -> ID? {
        guard retry == nil, let shown, shown.error.canRetry, id == nil || id == shown.error.id else { return nil }
        retry = Retry(id: shown.error.id)
        // What comes from now on, even if it is alike, is news.
        if places[shown.kind] == retried { places[shown.kind] = nil }
        return retried
    }

    /// The operation has failed, whether or not that is shown.
    ///
    /// - Parameter id: The number of its error.
    mutating func failRetry(_ id: ID) {
        if id == retried { retry?.hasFailed = true }
    }

    /// The operation was cancelled: it will end, but that is no answer.
    ///
    /// - Parameter id: The number of its error.
    mutating func cancelRetry(_ id: ID) {
        if id == retried { retry?.isCancelled = true }
    }

    /// The operation has ended.
    ///
    /// Its error goes, unless it was dismissed meanwhile. If the operation was cancelled, and has not failed, its
    /// error stays as it was: what went wrong still is.
    ///
    /// - Returns: The error's number if it goes.
    mutating func endRetry() -> ID? {
        assert(retry != nil, "an operation ends that was not run again")
        guard let ended = retry.take(), let shown, shown.error.id == ended.id else { return nil }
        guard ended.isCancelled, !ended.hasFailed else { return dismiss() }
        // One that came meanwhile and is like it waits, and stands for the next ones.
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

    /// Discards the newest that waits and that nobody asked for; its repeats stay counted as folded.
    ///
    /// - Returns: Whether there was one.
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
    /// It stands for another one too.
    fileprivate mutating func add(_ other: PresentedError, _ isAskedFor: Bool) {
        error.count += other.count
        error.canRetry = error.canRetry || other.canRetry
        self.isAskedFor = self.isAskedFor || isAskedFor
    }
}

extension PresentedError {
    /// The same under another number.
    fileprivate func numbered(_ id: ID) -> Self {
        Self(
            id: id, style: style, title: title, message: message, recoverySuggestion: recoverySuggestion,
            failureReason: failureReason, recoveryOptions: recoveryOptions, count: count, canRetry: canRetry)
    }
}
