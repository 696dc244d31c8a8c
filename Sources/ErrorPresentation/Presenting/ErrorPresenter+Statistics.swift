extension ErrorPresenter {
    /// The counts of the errors that a presenter received, by outcome.
    ///
    /// At any time, `received = shown + waiting + folded + discarded + never`. Each is counted separately. If a flood
    /// limit suppressed errors, a report stands for several errors and counts that many times.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors that reached the presenter.
        public internal(set) var received: Int
        /// Errors that were shown or still are.
        public internal(set) var shown: Int
        /// Errors that wait for their turn or for the main actor to process them.
        public internal(set) var waiting: Int
        /// Repeats, which are counted in another shown or waiting error.
        public internal(set) var folded: Int
        /// Errors that were discarded because the queue was full, or because an error of the user's own action replaced
        /// them.
        public internal(set) var discarded: Int
        /// Errors that are never shown: ignored errors, errors with the style `.hidden`, errors of cancelled tasks,
        /// attempts, notices, and a bus's reports that another view shows, such as those of a ``Loader`` and of `run`.
        public internal(set) var never: Int

        /// Creates statistics, for previews and tests; empty by default.
        ///
        /// - Parameters:
        ///   - received: Errors that reached the presenter.
        ///   - shown: Errors that were shown.
        ///   - waiting: Errors that are waiting.
        ///   - folded: Repeats that are counted in another error.
        ///   - discarded: Errors that didn't fit into the queue.
        ///   - never: Errors that are never shown.
        public init(
            received: Int = 0,
            shown: Int = 0,
            waiting: Int = 0,
            folded: Int = 0,
            discarded: Int = 0,
            never: Int = 0
        ) {
            self.received = received
            self.shown = shown
            self.waiting = waiting
            self.folded = folded
            self.discarded = discarded
            self.never = never
        }

        /// Whether `received` equals the sum of the other counts.
        public var isBalanced: Bool { received == shown + waiting + folded + discarded + never }

        /// The counts on one line, as an equation.
        public var description: String {
            """
            received \(received) \(isBalanced ? "=" : "≠") shown \(shown) + waiting \(waiting) + folded \(folded) \
            + discarded \(discarded) + never \(never)
            """
        }

        /// Returns the sums of all counts.
        static func + (first: Self, second: Self) -> Self {
            Self(
                received: first.received + second.received,
                shown: first.shown + second.shown,
                waiting: first.waiting + second.waiting,
                folded: first.folded + second.folded,
                discarded: first.discarded + second.discarded,
                never: first.never + second.never
            )
        }
    }
}
