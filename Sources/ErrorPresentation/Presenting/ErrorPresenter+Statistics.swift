extension ErrorPresenter {
    /// The counts of the errors that a presenter received, by outcome.
    ///
    /// At any time, `received = shown + waiting + folded + discarded + never`. Each is counted separately. If a flood
    /// limit suppressed errors, a report stands for several errors and counts that many times.
    public struct Statistics: Sendable, Hashable {
        /// Errors that reached the presenter.
        public internal(set) var received = 0
        /// Errors that were shown or still are.
        public internal(set) var shown = 0
        /// Errors that wait for their turn or for the main actor to process them.
        public internal(set) var waiting = 0
        /// Repeats, which are counted in another shown or waiting error.
        public internal(set) var folded = 0
        /// Errors that were discarded because the queue was full, or because an error of the user's own action replaced
        /// them.
        public internal(set) var discarded = 0
        /// Errors that are never shown: ignored errors, errors with the style `.hidden`, errors of cancelled tasks,
        /// attempts, notices, and a bus's reports that another view shows, such as those of a ``Loader`` and of `run`.
        public internal(set) var never = 0

        /// Whether `received` equals the sum of the other counts.
        var isBalanced: Bool { received == shown + waiting + folded + discarded + never }

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
