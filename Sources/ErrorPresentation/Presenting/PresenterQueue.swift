/// The errors of one style, the shown one and the waiting ones: a plain value.
struct PresenterQueue {
    typealias ID = PresentedError.ID

    struct Entry {
        fileprivate(set) var error: PresentedError
        /// The kind of the repeats that are merged into the error; nil if none are.
        let kind: PresenterMachine.Kind?
        /// Whether the error, or a repeat of it, is the result of the user's own action.
        private(set) var isFromUser: Bool
        /// Whether the error was shown before.
        ///
        /// Then it counts as shown even while it waits to be shown again.
        var wasShown = false

        init(_ error: PresentedError, _ kind: PresenterMachine.Kind?, isFromUser: Bool) {
            self.error = error
            self.kind = kind
            self.isFromUser = isFromUser
        }

        /// Adds a repeat.
        fileprivate mutating func add(_ count: Int, _ isFromUser: Bool) {
            error.count += count
            self.isFromUser = self.isFromUser || isFromUser
        }
    }

    private(set) var shown: Entry?
    /// The failures of retries, which are shown before all waiting errors.
    private(set) var next: [Entry] = []
    /// The waiting errors, without `next`, in the order in which they are shown.
    private(set) var waiting: [Entry] = []

    /// Adds an error after the others.
    ///
    /// - Parameter isNext: Whether to add it before the waiting errors.
    /// - Returns: Whether it is shown at once.
    mutating func add(_ entry: Entry, isNext: Bool) -> Bool {
        if shown == nil {
            shown = entry
            return true
        }
        if isNext { next.append(entry) } else { waiting.append(entry) }
        return false
    }

    /// Adds an error that was shown before, ahead of all others.
    mutating func putBack(_ entry: Entry) {
        if shown == nil { shown = entry } else { next.insert(entry, at: 0) }
    }

    /// Counts repeats in a shown or waiting error.
    mutating func merge(_ count: Int, into id: ID, isFromUser: Bool) {
        if shown?.error.id == id {
            shown?.add(count, isFromUser)
        } else if let index = next.firstIndex(where: { $0.error.id == id }) {
            next[index].add(count, isFromUser)
        } else if let index = waiting.firstIndex(where: { $0.error.id == id }) {
            waiting[index].add(count, isFromUser)
        }
    }

    /// Moves a waiting error ahead of all others.
    mutating func moveNext(_ id: ID) {
        guard let index = waiting.firstIndex(where: { $0.error.id == id }) else { return }
        next.append(waiting.remove(at: index))
    }

    /// Shows the next error instead of the shown one.
    ///
    /// - Returns: The error; nil if none waits.
    mutating func showNext() -> Entry? {
        shown = !next.isEmpty ? next.removeFirst() : waiting.isEmpty ? nil : waiting.removeFirst()
        return shown
    }

    /// Removes and returns a waiting error; nil if no waiting error has the number.
    mutating func removeWaiting(_ id: ID) -> Entry? {
        if let index = next.firstIndex(where: { $0.error.id == id }) { return next.remove(at: index) }
        return waiting.firstIndex { $0.error.id == id }.map { waiting.remove(at: $0) }
    }

    /// Removes the newest waiting error that isn't the result of the user's own action.
    mutating func removeNewestNotFromUser() -> Entry? {
        waiting.lastIndex { !$0.isFromUser }.map { waiting.remove(at: $0) }
    }
}
