extension Duration {
    /// A hundred years: longer than any caller waits, but short enough for every clock.
    package static let longest = Duration.seconds(100 * 365 * 86_400)

    /// The duration, limited to a hundred years in both directions.
    ///
    /// Any duration can come from a caller, an error, or a clock. Sums of bounded durations don't overflow, and
    /// describing one doesn't trap, as it does if the seconds don't fit into 64 bits.
    package var bounded: Duration { min(max(self, .zero - Self.longest), Self.longest) }
}
