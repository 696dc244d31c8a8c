extension ErrorPresenter {
    /// The counts of the errors that a presenter received, and of what happened to them.
    ///
    /// At any moment `received = shown + waiting + folded + discarded + never`; each is counted on its own. A report
    /// that stands for several errors, because a flood limit suppressed some, counts that many times.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors that reached the presenter.
        public internal(set) var received: Int
        /// Errors that were shown themselves, or still are.
        public internal(set) var shown: Int
        /// Errors that wait for their turn, or for the main actor to process them.
        public internal(set) var waiting: Int
        /// Repeats, which are counted in another error that is shown or waits.
        public internal(set) var folded: Int
        /// Errors that were discarded: the queue was full, or an error of the person's own action took their place.
        public internal(set) var discarded: Int
        /// Errors that are not shown: ignored ones, those whose style is `.hidden`, those of cancelled tasks, attempts
        /// and notices, and those of a bus that their own view shows, as a ``Loader``'s and those of `run`.
        public internal(set) var never: Int

        /// Makes statistics, empty ones by default; for previews and tests.
        ///
        /// - Parameters:
        ///   - received: Errors that reached the presenter.
        ///   - shown: Errors that were shown.
        ///   - waiting: Errors that wait.
        ///   - folded: Repeats, counted in another error.
        ///   - discarded: Errors that did not fit into the queue.
        ///   - never: Errors that are not shown.
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
