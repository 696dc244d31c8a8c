extension ErrorBus {
    /// How many errors the bus has taken, and what became of them, at one moment.
    ///
    /// It balances whenever it is read, also while errors are posted and delivered; between two reads by one thread no
    /// count but that of pending errors falls, and a post that has returned is in the next read.
    public var statistics: Statistics {
        let (counts, isDelivering) = storage.countsAndDelivery
        var statistics = counts.statistics
        if isDelivering {
            statistics.deliveryTime = max(.zero, clock.now() - .nanoseconds(deliveryBegan.value))
        }
        return statistics
    }

    /// How many errors a bus has taken, and what became of them.
    ///
    /// Where `Int` has 32 bits, on watches say, a count stops at the largest of them; the bus itself goes on counting.
    /// Whenever it is read, `posted = handled + ignored + unmatched + suppressed + dropped + pending`. At rest each is
    /// counted on its own; while errors are posted and delivered, what is pending is the difference of the others.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors posted, and notices (``ActionFailure``, ``ErrorsDropped``) that the bus made itself.
        public internal(set) var posted: Int
        /// Errors that a rule handled.
        public internal(set) var handled: Int
        /// Errors that an `ignore` rule stopped.
        public internal(set) var ignored: Int
        /// Errors that no rule matched.
        public internal(set) var unmatched: Int
        /// Errors that a flood limit held back, and that a later one of their kind stands for.
        public internal(set) var suppressed: Int
        /// Errors that were not delivered: posted to a full or finished bus, or given back by `shutdown`.
        public internal(set) var dropped: Int
        /// Errors that are waiting or in delivery.
        public internal(set) var pending: Int
        /// Actions that threw or outlived the time limit; they stand beside the law, since their errors are counted.
        public internal(set) var actionFailures: Int
        /// How long the bus has been at the report in delivery; nil if none is.
        ///
        /// A synchronous action that blocks its thread cannot be cut off: it shows here, by a time that keeps growing.
        /// The bus looks at its clock only now and then, so that the time may include up to 63 deliveries before.
        public internal(set) var deliveryTime: Duration?

        /// Makes statistics, empty ones by default; for tests and fakes.
        ///
        /// - Parameters:
        ///   - posted: Errors posted, and notices.
        ///   - handled: Errors that a rule handled.
        ///   - ignored: Errors that an `ignore` rule stopped.
        ///   - unmatched: Errors that no rule matched.
        ///   - suppressed: Errors that a flood limit held back.
        ///   - dropped: Errors that were not delivered.
        ///   - pending: Errors that are waiting or in delivery.
        ///   - actionFailures: Actions that threw or outlived the time limit.
        ///   - deliveryTime: How long the report in delivery takes already.
        public init(
            posted: Int = 0,
            handled: Int = 0,
            ignored: Int = 0,
            unmatched: Int = 0,
            suppressed: Int = 0,
            dropped: Int = 0,
            pending: Int = 0,
            actionFailures: Int = 0,
            deliveryTime: Duration? = nil
        ) {
            self.posted = posted
            self.handled = handled
            self.ignored = ignored
            self.unmatched = unmatched
            self.suppressed = suppressed
            self.dropped = dropped
            self.pending = pending
            self.actionFailures = actionFailures
            self.deliveryTime = deliveryTime
        }

        /// Whether what was posted equals the sum of what became of it.
        public var isBalanced: Bool {
            // Where `Int` has 32 bits, counts beyond these are cut off, and so is their sum.
            let ends = [handled, ignored, unmatched, suppressed, dropped, pending]
            return posted == Int(clamping: ends.reduce(0) { $0 + Int64($1) })
        }

        /// The counts on one line, with the law that they obey.
        public var description: String {
            let delivery = deliveryTime.map { "; in delivery for \($0)" } ?? ""
            return """
                posted \(posted) \(isBalanced ? "=" : "≠") \
                handled \(handled) + ignored \(ignored) + unmatched \(unmatched) \
                + suppressed \(suppressed) + dropped \(dropped) + pending \(pending); \
                action failures \(actionFailures)\(delivery)
                """
        }
    }
}
