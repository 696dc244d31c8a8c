@testable import ErrorPresentation

/// A presenter by lists that are searched from the front, without a bus, tasks or views.
struct NaivePresenter {
    typealias ID = PresentedError.ID

    /// What reaches a presenter: an error with what the rules say of it.
    struct News {
        var message: String
        var style = PresentationStyle.alert
        var title: String?
        var count = 1
        var canRetry = false
        var isAskedFor = false
        /// The error whose operation was run again and failed with this one.
        var failureOf: ID?
    }

    struct Item {
        let id: ID
        let news: News
        var count: Int
        var canRetry: Bool
        var isAskedFor: Bool
        /// Whether the error stands for no other, since it was tried again.
        var isAlone = false

        func isLike(_ other: News) -> Bool {
            !isAlone && news.message == other.message && news.title == other.title && news.style == other.style
        }
    }

    struct Queue {
        var shown: [Item] = []
        /// The failure of a retry, which comes before the others.
        var next: [Item] = []
        var waiting: [Item] = []
    }

    struct Retry {
        var isCancelled = false
        var hasFailed = false
    }

    let limit: Int
    var queues: [PresentationStyle: Queue] = [.alert: Queue(), .banner: Queue(), .inline: Queue()]
    var retries: [ID: Retry] = [:]
    /// The errors whose operations are run, have been, or will not be.
    var spent: Set<ID> = []
    private var counts = ErrorPresenter.Statistics()
    private var lastID: ID = 0

    init(limit: Int) { self.limit = limit }

    var statistics: ErrorPresenter.Statistics {
        var statistics = counts
        statistics.waiting = queues.values.map { $0.waiting.count + $0.next.count }.reduce(0, +)
        return statistics
    }

    func shown(_ style: PresentationStyle) -> Item? { queues[style]?.shown.first }

    var foremost: Item? { shown(.alert) ?? shown(.banner) ?? shown(.inline) }

    /// Counts what is never shown.
    mutating func pass(_ count: Int = 1) {
        counts.received += count
        counts.never += count
    }

    mutating func receive(_ news: News) {
        if let failed = news.failureOf { retries[failed]?.hasFailed = true }
        if news.style == .hidden { return pass(news.count) }
        counts.received += news.count
        let goesFirst =
            news.failureOf.map { retries[$0] != nil && shown(news.style)?.id == $0 } == true
            && queues[news.style]?.next.isEmpty == true
        if fold(news, goesFirst) {
            counts.folded += news.count
            return
        }
        var queue = queues[news.style] ?? Queue()
        defer { queues[news.style] = queue }
        if !queue.shown.isEmpty, !goesFirst, queue.waiting.count >= limit {
            let isAskedFor = news.isAskedFor || news.canRetry
            guard isAskedFor, let replaced = queue.waiting.lastIndex(where: { !$0.isAskedFor }) else {
                counts.discarded += news.count
                return
            }
            queue.waiting.remove(at: replaced)
            counts.discarded += 1
        }
        counts.folded += news.count - 1
        lastID += 1
        let item = Item(
            id: lastID, news: news, count: news.count, canRetry: news.canRetry,
            isAskedFor: news.isAskedFor || news.canRetry)
        if queue.shown.isEmpty {
            queue.shown = [item]
            counts.shown += 1
        } else if goesFirst {
            queue.next = [item]
        } else {
            queue.waiting.append(item)
        }
    }

    private mutating func fold(_ news: News, _ goesFirst: Bool) -> Bool {
        for path in [\Queue.shown, \.next, \.waiting] {
            guard var items = queues[news.style]?[keyPath: path],
                let index = items.firstIndex(where: { $0.isLike(news) })
            else { continue }
            items[index].count += news.count
            items[index].canRetry = items[index].canRetry || news.canRetry
            items[index].isAskedFor = items[index].isAskedFor || news.isAskedFor || news.canRetry
            if goesFirst, path == \.waiting { queues[news.style]?.next = [items.remove(at: index)] }
            queues[news.style]?[keyPath: path] = items
            return true
        }
        return false
    }

    /// Dismisses an error if it is shown.
    mutating func dismiss(_ id: ID, keepsRecovery: Bool = false) {
        for style in queues.keys where shown(style)?.id == id {
            if !keepsRecovery { spent.insert(id) }
            var queue = queues[style] ?? Queue()
            queue.shown = queue.next.isEmpty ? Array(queue.waiting.prefix(1)) : queue.next
            if queue.next.isEmpty { queue.waiting = Array(queue.waiting.dropFirst()) }
            queue.next = []
            counts.shown += queue.shown.count
            queues[style] = queue
        }
    }

    mutating func beginRetry(_ id: ID) {
        spent.insert(id)
        retries[id] = Retry()
        for style in queues.keys where shown(style)?.id == id { queues[style]?.shown[0].isAlone = true }
    }

    mutating func endRetry(_ id: ID) {
        guard let retry = retries.removeValue(forKey: id), let style = queues.keys.first(where: { shown($0)?.id == id })
        else { return }
        guard retry.isCancelled, !retry.hasFailed, let queue = queues[style], let news = queue.shown.first?.news else {
            return dismiss(id)
        }
        spent.remove(id)
        queues[style]?.shown[0].isAlone = (queue.next + queue.waiting).contains { $0.isLike(news) }
    }
}
