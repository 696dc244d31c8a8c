extension ErrorBus {
    /// The counts of errors posted to the bus and of their outcomes, at one instant.
    ///
    /// The counts balance on every read, even while errors are posted and delivered. Between two reads by one thread,
    /// only the count of pending errors can decrease. A read includes every post that returned before the read.
    public var statistics: Statistics {
        var (statistics, isBusy) = storage.apply { ($0.statistics, $0.isBusy) }
        if isBusy {
            statistics.deliveryTime = max(.zero, clock.now() - .nanoseconds(deliveryBegan.value))
        }
        return statistics
    }

    /// The counts of errors posted to a bus and of their outcomes.
    ///
    /// On every read, `posted = handled + ignored + unmatched + suppressed + dropped + pending`. At rest, each number
    /// is counted independently; while errors are posted and delivered, `pending` is computed from the others. Where
    /// `Int` is 32 bits wide, as on some watches, each count stops at `Int.max`, but the bus itself continues counting.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors that were posted, and notices (``ActionFailure``, ``ErrorsDropped``) that the bus itself posted.
        public internal(set) var posted = 0
        /// Errors that a rule handled.
        public internal(set) var handled = 0
        /// Errors that an `ignore` rule stopped.
        public internal(set) var ignored = 0
        /// Errors that no rule matched.
        public internal(set) var unmatched = 0
        /// Errors that a flood limit held back and merged into the report of a later error of their kind.
        public internal(set) var suppressed = 0
        /// Errors that weren't delivered: posted to a full or finished bus, or returned by `shutdown`.
        public internal(set) var dropped = 0
        /// Errors that are pending or in delivery.
        public internal(set) var pending = 0
        /// Actions that threw or exceeded the time limit; not part of the sum, which contains their notices instead.
        public internal(set) var actionFailures = 0
        /// How long the delivery of the current report and the notification of its observers have taken so far; nil
        /// while the bus does neither.
        ///
        /// The bus can't stop a synchronous action or an observer that blocks its thread; the block shows here as a
        /// growing time. The bus doesn't read its clock for every report, so the time might include up to 63 earlier
        /// deliveries and the calls of their observers.
        public internal(set) var deliveryTime: Duration?

        /// The number of errors for each outcome, with the outcome's name, for gauges, exporters, and tables.
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

        /// Whether ``posted`` equals the sum of the counts of all outcomes.
        var isBalanced: Bool {
            // Clamp the sum: where `Int` is 32 bits wide, each count stops at `Int.max`, and so does `posted`, their
            // sum.
            posted == Int(clamping: counts.reduce(0) { $0 + Int64($1.value) })
        }

        /// The counts on one line, as the equation that they satisfy.
        public var description: String {
            let delivery = deliveryTime.map { "; in delivery for \($0)" } ?? ""
            let sum = counts.map { "\($0) \($1)" }.joined(separator: " + ")
            return "posted \(posted) \(isBalanced ? "=" : "≠") \(sum); action failures \(actionFailures)\(delivery)"
        }
    }
}

extension ErrorBus: CustomStringConvertible {
    /// The bus on one line: its number in the process, whether it still accepts posts, and its statistics.
    ///
    /// ```
    /// error bus 1 (open): posted 3 = handled 2 + ignored 0 + unmatched 1 + …
    /// ```
    ///
    /// A bus is first `open`, then `finished` while it delivers what it has accepted, and finally `ended`. Buses are
    /// numbered in the order of their creation. The phase is read before the statistics. The line doesn't contain
    /// errors or metadata.
    public var description: String {
        let phase = storage.hasEnded ? "ended" : storage.isClosed ? "finished" : "open"
        return "error bus \(number) (\(phase)): \(statistics)"
    }
}
