@testable import ErrorRouting

/// A bus as the design explains it, made of arrays and counts, for one thread.
///
/// Errors are numbers: an even number represents a ``Numbered``, and an odd number a ``BusWalk/Odd``.
struct NaiveBus {
    struct Posted: Equatable {
        let position: Int
        let number: Int
        let kind: Int
        let time: Int
    }

    enum Item: Equatable {
        case error(Posted, isFilled: Bool)
        case notice
    }

    enum Delivery: Equatable {
        case error(Int, occurrences: Int)
        case drops(ErrorsDropped)
        case failure(Int?)
    }

    let capacity: Int
    var flood: NaiveFloodLimiter?

    /// The accepted errors and the announced notices, in order.
    var items: [Item] = []
    var accepted = 0
    var failures: [Int?] = []
    var delivering: Delivery?
    /// The failures of the actions of the report in delivery; nil for an action that has exceeded its time limit.
    var failed: [Int?] = []
    /// The drops that no notice has reported.
    var unreported: [String: Int] = [:]
    /// Whether a notice is waiting for its turn.
    var hasNotice = false

    /// The flushes in the order of their calls: the number of accepted errors at the call, and whether they are done.
    var flushes: [(accepted: Int, isDone: Bool)] = []
    /// The number of accepted errors at which the bus closes, because its tasks have ended.
    var lastNumber: Int?

    var isAsleep = false
    var isClosed = false
    /// Whether the bus was shut down, or has ended.
    var hasEnded = false
    var counts = ErrorBus.Statistics()

    init(capacity: Int, flood: NaiveFloodLimiter?) {
        self.capacity = capacity
        self.flood = flood
    }

    /// The number of items that take capacity.
    var used: Int { items.count { $0 != .notice } + (flood?.heldCount ?? 0) }

    /// The accepted errors whose slots aren't filled yet.
    var reserved: [Posted] {
        items.compactMap { if case .error(let posted, isFilled: false) = $0 { posted } else { nil } }
    }

    var statistics: ErrorBus.Statistics {
        var statistics = counts
        statistics.pending = used + (hasNotice ? 1 : 0) + failures.count + (delivering == nil ? 0 : 1)
        statistics.posted += hasNotice ? 1 : 0
        return statistics
    }

    // MARK: Callers

    mutating func reserve(_ posted: Posted, type: String) -> IntakeBox.Reservation {
        counts.posted += 1
        if isClosed || used >= capacity { counts.dropped += 1 }
        if isClosed { return .closed }
        if used < capacity {
            items.append(.error(posted, isFilled: false))
            accepted += 1
            return .accepted(posted.position)
        }
        unreported[type, default: 0] += 1
        return .full(makesNotice: unreported.values.reduce(0, +) == 1)
    }

    mutating func fill(_ posted: Posted) -> IntakeBox.FillResult {
        guard let index = items.firstIndex(of: .error(posted, isFilled: false)) else { return .refused }
        items[index] = .error(posted, isFilled: true)
        // The worker sleeps at the first slot. If a notice comes first, the notice wakes it.
        guard isAsleep, items[..<index].allSatisfy({ $0 == .notice }) else { return .filled }
        isAsleep = false
        return .filledForSleeper
    }

    /// Performs the first dropper's step; returns the drops that no notice will report because the bus has ended.
    mutating func announceDrops() -> ErrorsDropped? {
        if hasEnded { return takeDrops() }
        items.append(.notice)
        hasNotice = true
        return nil
    }

    mutating func takeDrops() -> ErrorsDropped {
        defer { unreported = [:] }
        return ErrorsDropped(count: unreported.values.reduce(0, +), byType: unreported)
    }

    // MARK: Worker and end

    mutating func next(at now: Int) -> DrivenStorage.Event {
        if delivering == nil, let lastNumber, accepted >= lastNumber { isClosed = true }
        advance()
        if delivering == nil, let flood, flood.heldCount > 0,
            let release = self.flood?.release(endingBy: isClosed ? nil : now)
        {
            delivering = .error(release.held, occurrences: release.occurrences)
        }
        if let delivering { return delivering.event }
        if isClosed, used == 0, !hasNotice {
            hasEnded = true
            return .end
        }
        isAsleep = true
        return .asleep
    }

    /// Admits errors, in order, until there is one to deliver.
    mutating func advance() {
        if delivering == nil, !failures.isEmpty { delivering = .failure(failures.removeFirst()) }
        while delivering == nil {
            if hasFlushDue, let release = flood?.releaseHeld() {
                delivering = .error(release.held, occurrences: release.occurrences)
                continue
            }
            if items.first != .notice {
                for index in flushes.indices where isDue(flushes[index].accepted) { flushes[index].isDone = true }
            }
            guard let item = items.first, item.isReady else { break }
            guard case .error(let posted, _) = item else {
                items.removeFirst()
                delivering = takeNotice()
                continue
            }
            // If other errors must go first, the error stays at its position.
            if let release = flood?.release(toAdmit: posted.kind, at: posted.time) {
                delivering = .error(release.held, occurrences: release.occurrences)
                continue
            }
            items.removeFirst()
            switch flood?.admit(posted.number, kind: posted.kind, at: posted.time) {
            case nil, .passes: delivering = .error(posted.number, occurrences: 1)
            case .isHeld(suppressing: nil): break
            case .isHeld(suppressing: _?): counts.suppressed += 1
            }
        }
    }

    /// Whether every error that was accepted before a number is delivered or held.
    private func isDue(_ number: Int) -> Bool {
        for case .error(let posted, _) in items where posted.position < number { return false }
        return true
    }

    private var hasFlushDue: Bool { flushes.contains { !$0.isDone && isDue($0.accepted) } }

    private mutating func takeNotice() -> Delivery {
        (hasNotice, isAsleep) = (false, false)
        counts.posted += 1
        return .drops(takeDrops())
    }

    /// Counts a failed action of the report in delivery.
    mutating func fail(_ number: Int?) {
        counts.actionFailures += 1
        failed.append(number)
    }

    /// Completes the report in delivery and returns the failures that no notice reports.
    mutating func complete(_ decision: Decision) -> [DrivenStorage.Event] {
        defer { (delivering, failed) = (nil, []) }
        switch decision {
        case .handled: counts.handled += 1
        case .ignored: counts.ignored += 1
        case .unmatched: counts.unmatched += 1
        }
        if case .failure = delivering { return failed.map { .failure($0) } }
        counts.posted += failed.count
        failures += failed
        return []
    }

    /// Adds a caller that waits for every error posted so far; returns whether the worker must be woken.
    mutating func flush() -> Bool {
        flushes.append((accepted, false))
        return exchange(&isAsleep, with: false)
    }

    mutating func finish() -> Bool {
        defer { isClosed = true }
        if isClosed || !isAsleep { return false }
        isAsleep = false
        return true
    }

    mutating func endTasks() { lastNumber = accepted + capacity }

    mutating func abort() -> [DrivenStorage.Event] {
        (isClosed, hasEnded, isAsleep) = (true, true, false)
        var left: [Delivery] = delivering.map { [$0] } ?? []
        left += failures.map { .failure($0) }
        while let release = flood?.release(endingBy: nil) {
            left.append(.error(release.held, occurrences: release.occurrences))
        }
        for item in items {
            switch item {
            case .error(let posted, isFilled: true): left.append(.error(posted.number, occurrences: 1))
            case .error: counts.dropped += 1
            case .notice: left.append(takeNotice())
            }
        }
        (items, delivering, failures, failed) = ([], nil, [], [])
        counts.dropped += left.count
        return left.map(\.event)
    }
}

extension NaiveBus.Item {
    /// Whether the item can be taken.
    ///
    /// An unfilled slot delays all later items.
    fileprivate var isReady: Bool { if case .error(_, isFilled: false) = self { false } else { true } }
}

extension NaiveBus.Delivery {
    var event: DrivenStorage.Event {
        switch self {
        case .error(let number, let occurrences): .error(number, occurrences: occurrences)
        case .drops(let drops): .drops(drops)
        case .failure(let number): .failure(number)
        }
    }
}
