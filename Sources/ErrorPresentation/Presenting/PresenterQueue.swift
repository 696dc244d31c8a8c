/// The errors of one style: the one that is shown, and those that wait behind it; a plain value.
struct PresenterQueue {
    typealias ID = PresentedError.ID

    struct Entry {
        fileprivate(set) var error: PresentedError
        let kind: PresenterMachine.Kind
        /// Whether the error, or a repeat of it, is the result of the person's own action.
        private(set) var isAskedFor: Bool

        init(_ error: PresentedError, _ kind: PresenterMachine.Kind, isAskedFor: Bool) {
            self.error = error
            self.kind = kind
            self.isAskedFor = isAskedFor
        }

        /// Adds a repeat.
        fileprivate mutating func add(_ other: PresentedError, _ isAskedFor: Bool) {
            error.count += other.count
            error.canRetry = error.canRetry || other.canRetry
            self.isAskedFor = self.isAskedFor || isAskedFor
        }
    }

    private(set) var shown: Entry?
    /// The failure of an operation that was run again: it is shown next, before all waiting errors.
    private(set) var next: Entry?
    /// The numbers of the waiting errors, without `next`.
    private(set) var order: [ID] = []
    private var entries: [ID: Entry] = [:]

    /// Adds an error.
    ///
    /// - Returns: Whether it is shown at once.
    mutating func add(_ entry: Entry, isNext: Bool) -> Bool {
        if shown == nil {
            shown = entry
            return true
        }
        if isNext {
            next = entry
        } else {
            entries[entry.error.id] = entry
            order.append(entry.error.id)
        }
        return false
    }

    /// Counts a repeat in an error that is shown or waits.
    mutating func fold(_ error: PresentedError, into id: ID, isAskedFor: Bool) {
        if shown?.error.id == id {
            shown?.add(error, isAskedFor)
        } else if next?.error.id == id {
            next?.add(error, isAskedFor)
        } else {
            entries[id]?.add(error, isAskedFor)
        }
    }

    /// Moves a waiting error before all others.
    mutating func moveNext(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        order.removeAll { $0 == id }
        next = entry
    }

    /// Shows the next error in place of the shown one; nothing if none waits.
    ///
    /// - Returns: Whether one waited.
    mutating func showNext() -> Bool {
        shown = next.take() ?? (order.isEmpty ? nil : entries.removeValue(forKey: order.removeFirst()))
        return shown != nil
    }

    /// Removes the newest waiting error that is not the result of the person's own action.
    mutating func removeNewestNotAskedFor() -> Entry? {
        guard let place = order.lastIndex(where: { entries[$0]?.isAskedFor == false }) else { return nil }
        return entries.removeValue(forKey: order.remove(at: place))
    }
}
