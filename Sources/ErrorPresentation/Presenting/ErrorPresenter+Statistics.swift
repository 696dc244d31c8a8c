extension ErrorPresenter {
    /// The counts of the errors that a presenter received, by outcome.
    ///
    /// At any time, `received = shown + waiting + merged + discarded + neverShown`. Each error is counted separately.
    /// If a flood limit suppressed errors, a report represents several errors and counts that many times.
    public struct Statistics: Sendable, Hashable, CustomStringConvertible {
        /// Errors that reached the presenter: the sum of the other counts.
        public var received: Int { shown + waiting + merged + discarded + neverShown }
        /// Errors that were shown or still are.
        public internal(set) var shown = 0
        /// Errors that are waiting for their turn or for the main actor to process them.
        public internal(set) var waiting = 0
        /// Repeats, which only raise the count of the shown or waiting error that they repeat.
        public internal(set) var merged = 0
        /// Errors that were discarded before they were shown.
        ///
        /// An error is discarded if the inbox or its queue is full, if an error from the user's own action replaces it,
        /// or if ``ErrorPresenter/dismissAll(matching:)`` removes it.
        public internal(set) var discarded = 0
        /// Errors that the presenter never shows.
        ///
        /// They are errors with the style `.hidden`, ignored errors, errors of cancelled tasks, attempts, notices, and
        /// failures that another view shows, such as the failures of a ``Loader`` and of `run`.
        public internal(set) var neverShown = 0

        /// A summary such as `12 received: 3 shown, 2 waiting, 4 merged, 0 discarded, 3 never shown`.
        public var description: String {
            "\(received) received: \(shown) shown, \(waiting) waiting, \(merged) merged, \(discarded) discarded, "
                + "\(neverShown) never shown"
        }

        /// Returns the sum of two statistics, count by count.
        static func + (first: Self, second: Self) -> Self {
            Self(
                shown: first.shown + second.shown, waiting: first.waiting + second.waiting,
                merged: first.merged + second.merged, discarded: first.discarded + second.discarded,
                neverShown: first.neverShown + second.neverShown)
        }
    }
}
