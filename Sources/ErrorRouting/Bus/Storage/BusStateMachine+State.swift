/// What the machine's state is made of; its counters are in `BusCounts.swift`.
extension BusStateMachine {
    enum RunPhase {
        case notStarted, running, returned
    }

    /// What is being done with the reports that were taken from the intake one by one.
    enum Phase {
        /// No report is in delivery, unless in the lane.
        case idle
        case delivering(Delivery)
        /// The worker is telling the observers of a report; what ends the bus meanwhile waits for that.
        case announcing(then: Aftermath)
        /// Everything is delivered or taken back.
        ///
        /// - Parameter told: How many failures of the report in delivery a shutdown has told of.
        case ended(told: Int)
    }

    /// A report in delivery.
    struct Delivery {
        let pending: PendingReport
        /// Where a worker that takes the report over begins; nil for the beginning.
        var progress: DispatchProgress?
        /// The report's asynchronous action that runs.
        var action: (running: SupervisedAction, began: Duration)?
    }

    /// What follows once the observers have been told.
    enum Aftermath {
        case goOn
        /// Everything else was taken back. The shutdown ends the bus, unless the worker is still announcing by then.
        case stop
        /// Everything else is in its receiver's hands: the worker ends the bus.
        case end
    }

    /// Whether everything is delivered or taken back; observers may still be being told of the last report.
    var hasEnded: Bool {
        switch phase {
        case .ended, .announcing(then: .stop), .announcing(then: .end): true
        case .idle, .delivering, .announcing(then: .goOn): false
        }
    }

    /// Whether a report is in delivery outside the lane.
    var isDelivering: Bool { if case .delivering = phase { true } else { false } }

    /// Whether the report with a sequence number is in delivery outside the lane.
    func isDelivering(_ sequence: UInt64) -> Bool {
        if case .delivering(let delivery) = phase { delivery.pending.sequence == sequence } else { false }
    }

    /// Whether the worker is telling the observers of a report.
    var isAnnouncing: Bool { if case .announcing = phase { true } else { false } }
}

extension BusStateMachine {
    /// Those who wait for what is pending.
    struct Waiters {
        /// Promises to those who wait until nothing is pending.
        private var idle: [Promise<Void>] = []
        /// Promises to those who wait until all reports before a number are delivered, in order of these numbers.
        private var flushes: [(number: Int64, promise: Promise<Bool>)] = []

        /// Adds a promise that is fulfilled once nothing is pending.
        mutating func wait(_ promise: Promise<Void>) { idle.append(promise) }

        /// Removes and returns the promises to those who wait until nothing is pending.
        mutating func takeIdle() -> [Promise<Void>] {
            defer { idle = [] }
            return idle
        }

        /// Adds a promise that is fulfilled once the reports before a number are delivered.
        mutating func wait(for promise: Promise<Bool>, before number: Int64) {
            // The number is the count of accepted posts, read under the lock, which never falls: so the order is kept.
            flushes.append((number, promise))
        }

        /// The least number before which somebody waits; nil if nobody does.
        var firstFlush: Int64? { flushes.first?.number }

        /// Whether somebody waits only for reports before a number.
        func hasFlush(before number: Int64) -> Bool { firstFlush.map { $0 <= number } ?? false }

        /// Removes a promise that nobody waits for any more.
        mutating func forget(_ promise: Promise<Bool>) { flushes.removeAll { $0.promise === promise } }

        /// Removes and returns the promises to those who wait only for reports before a number.
        mutating func takeFlushes(before number: Int64) -> [Promise<Bool>] {
            let due = flushes.prefix { $0.number <= number }.map(\.promise)
            flushes.removeFirst(due.count)
            return due
        }
    }
}
