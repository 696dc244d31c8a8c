@testable import ErrorPresentation

/// A presenter model with lists that are searched from the front, without a bus, tasks, or views.
struct NaivePresenter {
    typealias ID = PresentedError.ID

    /// An error that reaches a presenter, with the results of the rules.
    struct NewError {
        var message: String
        var style = PresentationStyle.alert
        var title: String?
        var count = 1
        var canRetry = false
        var isFromUser = false
        /// The error whose retry failed with this error.
        var failureOf: ID?
    }

    struct Item {
        let id: ID
        let newError: NewError
        var count: Int
        var isFromUser: Bool
        /// Whether it was closed during its retry, and returned because the retry was cancelled.
        var isBack = false

        var canRetry: Bool { newError.canRetry }

        /// Whether other errors are merged into this error.
        ///
        /// An error that can be retried isn't merged.
        func isLike(_ other: NewError) -> Bool {
            !canRetry && !other.canRetry && newError.message == other.message && newError.title == other.title
                && newError.style == other.style
        }
    }

    struct Queue {
        var shown: [Item] = []
        /// The failures of retries, which come before the other errors.
        var next: [Item] = []
        var waiting: [Item] = []
    }

    struct Retry {
        let item: Item
        var isCancelled = false
        var hasFailed = false
    }

    let limit: Int
    var queues: [PresentationStyle: Queue] = [.alert: Queue(), .banner: Queue(), .inline: Queue()]
    var retries: [ID: Retry] = [:]
    /// The errors with operations that are running, have run, or will not run.
    var spent: Set<ID> = []
    /// The errors that the user dismissed instead of only closing.
    var dismissed: Set<ID> = []
    /// All errors that were added.
    var items: [ID: Item] = [:]
    private var counts = ErrorPresenter.Statistics()
    private var lastID: ID = 0

    init(limit: Int) { self.limit = limit }

    var statistics: ErrorPresenter.Statistics {
        var statistics = counts
        statistics.waiting = queues.values.map { $0.waiting.count + $0.next.count { !$0.isBack } }.reduce(0, +)
        return statistics
    }

    func shown(_ style: PresentationStyle) -> Item? { queues[style]?.shown.first }

    var foremost: Item? { shown(.alert) ?? shown(.banner) ?? shown(.inline) }

    /// Counts errors that are never shown.
    mutating func skip(_ count: Int = 1) {
        counts.neverShown += count
    }

    mutating func receive(_ newError: NewError) {
        let goesFirst = newError.style != .hidden && newError.failureOf.map { retries[$0]?.hasFailed == false } == true
        if let failed = newError.failureOf { retries[failed]?.hasFailed = true }
        if newError.style == .hidden { return skip(newError.count) }
        if merge(newError, goesFirst) {
            counts.merged += newError.count
            return
        }
        var queue = queues[newError.style] ?? Queue()
        defer { queues[newError.style] = queue }
        if !queue.shown.isEmpty, !goesFirst, queue.waiting.count >= limit {
            let isFromUser = newError.isFromUser || newError.canRetry
            guard isFromUser, let replaced = queue.waiting.lastIndex(where: { !$0.isFromUser }) else {
                counts.discarded += newError.count
                return
            }
            spent.insert(queue.waiting.remove(at: replaced).id)
            counts.discarded += 1
        }
        counts.merged += newError.count - 1
        lastID += 1
        let item = Item(
            id: lastID, newError: newError, count: newError.count, isFromUser: newError.isFromUser || newError.canRetry)
        items[lastID] = item
        if queue.shown.isEmpty {
            queue.shown = [item]
            counts.shown += 1
        } else if goesFirst {
            queue.next.append(item)
        } else {
            queue.waiting.append(item)
        }
    }

    private mutating func merge(_ newError: NewError, _ goesFirst: Bool) -> Bool {
        for path in [\Queue.shown, \.next, \.waiting] {
            guard var items = queues[newError.style]?[keyPath: path],
                let index = items.firstIndex(where: { $0.isLike(newError) })
            else { continue }
            items[index].count += newError.count
            items[index].isFromUser = items[index].isFromUser || newError.isFromUser || newError.canRetry
            if goesFirst, path == \.waiting { queues[newError.style]?.next.append(items.remove(at: index)) }
            queues[newError.style]?[keyPath: path] = items
            return true
        }
        return false
    }

    /// Dismisses an error if the user has seen it.
    mutating func dismiss(_ id: ID, keepsRecovery: Bool = false) {
        for style in queues.keys where shown(style)?.id == id {
            if !keepsRecovery { forget(id) }
            var queue = queues[style] ?? Queue()
            queue.shown = queue.next.isEmpty ? Array(queue.waiting.prefix(1)) : Array(queue.next.prefix(1))
            if queue.next.isEmpty {
                queue.waiting = Array(queue.waiting.dropFirst())
            } else {
                queue.next = Array(queue.next.dropFirst())
            }
            counts.shown += queue.shown.count { !$0.isBack }
            queues[style] = queue
            return
        }
        for style in queues.keys where queues[style]?.next.contains(where: { $0.id == id && $0.isBack }) == true {
            if !keepsRecovery { forget(id) }
            queues[style]?.next.removeAll { $0.id == id }
        }
    }

    private mutating func forget(_ id: ID) {
        spent.insert(id)
        dismissed.insert(id)
    }

    /// Dismisses all errors with a message, waiting ones first.
    mutating func dismissAll(_ message: String) {
        for style in queues.keys {
            for path in [\Queue.next, \.waiting] {
                for item in queues[style]?[keyPath: path] ?? [] where item.newError.message == message {
                    if !item.isBack { counts.discarded += 1 }
                    forget(item.id)
                }
                queues[style]?[keyPath: path].removeAll { $0.newError.message == message }
            }
        }
        for style in queues.keys {
            if let item = shown(style), item.newError.message == message { dismiss(item.id) }
        }
    }

    mutating func beginRetry(_ id: ID) {
        spent.insert(id)
        guard let item = items[id] else { return }
        retries[id] = Retry(item: item)
    }

    mutating func endRetry(_ id: ID) {
        guard let retry = retries.removeValue(forKey: id) else { return }
        guard retry.isCancelled, !retry.hasFailed, !dismissed.contains(id) else { return dismiss(id) }
        spent.remove(id)
        let style = retry.item.newError.style
        var queue = queues[style] ?? Queue()
        guard !(queue.shown + queue.next).contains(where: { $0.id == id }) else { return }
        var item = retry.item
        item.isBack = true
        if queue.shown.isEmpty { queue.shown = [item] } else { queue.next.insert(item, at: 0) }
        queues[style] = queue
    }
}
