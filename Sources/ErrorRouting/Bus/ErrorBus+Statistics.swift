extension ErrorBus {
    /// How many errors were posted to the bus, and what became of them, at one moment.
    ///
    /// The counts balance whenever they are read, also while errors are posted and delivered. Between two reads by one
    /// thread no count but that of pending errors falls, and a post that has returned is in the next read.
    public var statistics: Statistics {
        var (statistics, isDelivering) = storage.perform { ($0.statistics($1), $0.isDelivering) }
        if isDelivering {
            statistics.deliveryTime = max(.zero, clock.now() - .nanoseconds(deliveryBegan.value))
        }
        return statistics
    }

    /// How many errors were posted to a bus, and what became of them.
    ///
    /// Whenever they are read, `posted = handled + ignored + unmatched + suppressed + dropped + pending`. At rest each
    /// number is counted on its own; while errors are posted and delivered, `pending` is the difference of the others.
    /// Where `Int` has 32 bits, as on some watches, each count stops at `Int.max`; the bus itself goes on counting.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors posted, and notices (``ActionFailure``, ``ErrorsDropped``) that the bus made itself.
        public internal(set) var posted: Int
        /// Errors that a rule handled.
        public internal(set) var handled: Int
        /// Errors that an `ignore` rule stopped.
        public internal(set) var ignored: Int
        /// Errors that no rule matched.
        public internal(set) var unmatched: Int
        /// Errors that a flood limit held back, and that the report of a later error of their kind includes.
        public internal(set) var suppressed: Int
        /// Errors that were not delivered: posted to a full or finished bus, or given back by `shutdown`.
        public internal(set) var dropped: Int
        /// Errors that are waiting or in delivery.
        public internal(set) var pending: Int
        /// Actions that threw or exceeded the time limit; not part of the sum, because their errors are counted
        /// already.
        public internal(set) var actionFailures: Int
        /// How long the report in delivery has been in delivery; nil if none is.
        ///
        /// A synchronous action that blocks its thread cannot be stopped; it shows here as a time that keeps growing.
        /// The bus does not read its clock for every report, so the time may include up to 63 earlier deliveries. It
        /// starts again when another task goes on with the report: after an action that was abandoned, or that
        /// cancelled its task.
        public internal(set) var deliveryTime: Duration?

        /// Creates statistics, with zero for each count by default.
        ///
        /// - Parameters:
        ///   - posted: Errors posted, and notices.
        ///   - handled: Errors that a rule handled.
        ///   - ignored: Errors that an `ignore` rule stopped.
        ///   - unmatched: Errors that no rule matched.
        ///   - suppressed: Errors that a flood limit held back.
        ///   - dropped: Errors that were not delivered.
        ///   - pending: Errors that are waiting or in delivery.
        ///   - actionFailures: Actions that threw or exceeded the time limit.
        ///   - deliveryTime: How long the report in delivery has been in delivery.
        init(
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

        /// How many errors came to each end, with the end's name: for gauges, exporters and tables.
        ///
        /// The sum of the counts is ``posted``.
        ///
        /// ```swift
        /// for (end, count) in bus.statistics.counts { Gauge(label: "errors.\(end)").record(count) }
        /// ```
        public var counts: KeyValuePairs<String, Int> {
            [
                "handled": handled, "ignored": ignored, "unmatched": unmatched, "suppressed": suppressed,
                "dropped": dropped, "pending": pending,
            ]
        }

        /// Whether ``posted`` equals the sum of the counts of all ends.
        var isBalanced: Bool {
            // Where `Int` has 32 bits, each count stops at `Int.max`, and so does `posted`, their sum.
            posted == Int(clamping: counts.reduce(0) { $0 + Int64($1.value) })
        }

        /// The counts on one line, as the equation that they fulfil.
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
