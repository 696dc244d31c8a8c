extension ErrorPresenter {
    /// How many errors a presenter got, and what became of them.
    ///
    /// Whenever it is read, `received = shown + waiting + folded + discarded + never`; each is counted on its own. A
    /// report that stands for several errors, since a flood limit suppressed some, counts as so many.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors that reached the presenter.
        public internal(set) var received: Int
        /// Errors that were shown as such, or still are.
        public internal(set) var shown: Int
        /// Errors that wait for their turn, or for the main actor to look at them.
        public internal(set) var waiting: Int
        /// Errors that another one stands for, which is like them.
        public internal(set) var folded: Int
        /// Errors that found no room, or lost their place to one that a person had asked for.
        public internal(set) var discarded: Int
        /// Errors that are not to be shown: ignored ones, cancellations, those whose style is `.never`, and those that
        /// come back over a bus and have been presented, or discarded, before they were posted.
        public internal(set) var never: Int

        /// Makes statistics, empty ones by default; for previews and tests.
        ///
        /// - Parameters:
        ///   - received: Errors that reached the presenter.
        ///   - shown: Errors that were shown.
        ///   - waiting: Errors that wait.
        ///   - folded: Errors that another one stands for.
        ///   - discarded: Errors that there was no room for.
        ///   - never: Errors that are not to be shown.
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

        /// Whether what was received equals the sum of what became of it.
        public var isBalanced: Bool { received == shown + waiting + folded + discarded + never }

        /// The counts on one line, with the law that they obey.
        public var description: String {
            """
            received \(received) \(isBalanced ? "=" : "≠") shown \(shown) + waiting \(waiting) + folded \(folded) \
            + discarded \(discarded) + never \(never)
            """
        }

        /// Adds what another place has counted.
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
