extension ErrorBus {
    /// How many errors a bus has taken, and what became of them.
    ///
    /// Whenever the bus is at rest, `posted = handled + ignored + unmatched + suppressed + dropped + pending`; each is
    /// counted on its own.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors posted, and notices (``ActionFailure``, ``ErrorsDropped``) that the bus made itself.
        public internal(set) var posted = 0
        /// Errors that a rule handled.
        public internal(set) var handled = 0
        /// Errors that an `ignore` rule stopped.
        public internal(set) var ignored = 0
        /// Errors that no rule matched.
        public internal(set) var unmatched = 0
        /// Errors that a flood limit held back, and that a later one of their kind stands for.
        public internal(set) var suppressed = 0
        /// Errors that were not delivered: posted to a full or finished bus, or given back by `shutdown`.
        public internal(set) var dropped = 0
        /// Errors that are waiting or in delivery.
        public internal(set) var pending = 0
        /// Actions that threw or outlived the time limit; they stand beside the law, since their errors are counted.
        public internal(set) var actionFailures = 0

        /// Makes empty statistics.
        public init() {}

        /// Whether what was posted equals the sum of what became of it.
        public var isBalanced: Bool {
            posted == handled + ignored + unmatched + suppressed + dropped + pending
        }

        /// The counts on one line, with the law that they obey.
        public var description: String {
            """
            posted \(posted) \(isBalanced ? "=" : "≠") \
            handled \(handled) + ignored \(ignored) + unmatched \(unmatched) \
            + suppressed \(suppressed) + dropped \(dropped) + pending \(pending); action failures \(actionFailures)
            """
        }
    }
}
