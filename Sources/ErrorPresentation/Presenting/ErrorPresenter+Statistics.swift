extension ErrorPresenter {
    /// The counts of the errors that a presenter received, by outcome.
    ///
    /// At any time, `received = shown + waiting + merged + discarded + neverShown`. Each is counted separately. If a
    /// flood limit suppressed errors, a report stands for several errors and counts that many times.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors that reached the presenter: the sum of the other counts.
        public var received: Int { shown + waiting + merged + discarded + neverShown }
        /// Errors that were shown or still are.
        public internal(set) var shown = 0
        /// Errors that wait for their turn or for the main actor to process them.
        public internal(set) var waiting = 0
        /// Repeats, which are counted in another shown or waiting error.
        public internal(set) var merged = 0
        /// Errors that were discarded because the queue was full, or because an error of the user's own action replaced
        /// them.
        public internal(set) var discarded = 0
        /// Errors that are never shown: ignored errors, errors with the style `.hidden`, errors of cancelled tasks,
        /// attempts, notices, and a bus's reports that another view shows, such as those of a ``Loader`` and of `run`.
        public internal(set) var neverShown = 0

        /// `12 received: 3 shown, 2 waiting, 4 merged, 0 discarded, 3 never shown`.
        public var description: String {
            "\(received) received: \(shown) shown, \(waiting) waiting, \(merged) merged, \(discarded) discarded, "
                + "\(neverShown) never shown"
        }

        /// Returns the sums of all counts.
        static func + (first: Self, second: Self) -> Self {
            Self(
                shown: first.shown + second.shown, waiting: first.waiting + second.waiting,
                merged: first.merged + second.merged, discarded: first.discarded + second.discarded,
                neverShown: first.neverShown + second.neverShown)
        }
    }
}
