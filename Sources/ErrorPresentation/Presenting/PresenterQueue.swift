/// The errors of one style: the one that is shown, and those that wait behind it; a plain value.
struct PresenterQueue {
    typealias ID = PresentedError.ID

    struct Entry {
        fileprivate(set) var error: PresentedError
        /// The kind of the repeats that are folded into the error; nil if none are.
        let kind: PresenterMachine.Kind?
        /// Whether the error, or a repeat of it, is the result of the person's own action.
        private(set) var isAskedFor: Bool
        /// Whether the error was shown before: it counts as shown, also while it waits to be shown again.
        var wasShown = false

        init(_ error: PresentedError, _ kind: PresenterMachine.Kind?, isAskedFor: Bool) {
            self.error = error
            self.kind = kind
            self.isAskedFor = isAskedFor
        }

        /// Adds a repeat.
        fileprivate mutating func add(_ count: Int, _ isAskedFor: Bool) {
            error.count += count
            self.isAskedFor = self.isAskedFor || isAskedFor
        }
    }

    private(set) var shown: Entry?
    /// The answers to a person's taps: shown next, before all waiting errors.
    private(set) var next: [Entry] = []
    /// The waiting errors, without `next`, in the order in which they are shown.
    private(set) var waiting: [Entry] = []

    /// Adds an error behind the others.
    ///
    /// - Parameter isNext: Whether it goes before the waiting errors.
    /// - Returns: Whether it is shown at once.
    mutating func add(_ entry: Entry, isNext: Bool) -> Bool {
        if shown == nil {
            shown = entry
            return true
        }
        if isNext { next.append(entry) } else { waiting.append(entry) }
        return false
    }

    /// Adds an error that was shown before, in front of all others.
    mutating func putBack(_ entry: Entry) {
        if shown == nil { shown = entry } else { next.insert(entry, at: 0) }
    }

    /// Counts repeats in an error that is shown or waits.
    mutating func fold(_ count: Int, into id: ID, isAskedFor: Bool) {
        if shown?.error.id == id {
            shown?.add(count, isAskedFor)
        } else if let index = next.firstIndex(where: { $0.error.id == id }) {
            next[index].add(count, isAskedFor)
        } else if let index = waiting.firstIndex(where: { $0.error.id == id }) {
            waiting[index].add(count, isAskedFor)
        }
    }

    /// Moves a waiting error before all others.
    mutating func moveNext(_ id: ID) {
        guard let index = waiting.firstIndex(where: { $0.error.id == id }) else { return }
        next.append(waiting.remove(at: index))
    }

    /// Shows the next error in place of the shown one.
    ///
    /// - Returns: The error; nil if none waits.
    mutating func showNext() -> Entry? {
        shown = !next.isEmpty ? next.removeFirst() : waiting.isEmpty ? nil : waiting.removeFirst()
        return shown
    }

    /// Removes an error that waits; returns nil if there is none with the number.
    mutating func removeWaiting(_ id: ID) -> Entry? {
        if let index = next.firstIndex(where: { $0.error.id == id }) { return next.remove(at: index) }
        return waiting.firstIndex { $0.error.id == id }.map { waiting.remove(at: $0) }
    }

    /// Removes the newest waiting error that is not the result of the person's own action.
    mutating func removeNewestNotAskedFor() -> Entry? {
        waiting.lastIndex { !$0.isAskedFor }.map { waiting.remove(at: $0) }
    }
}
