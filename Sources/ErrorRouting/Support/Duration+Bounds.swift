extension Duration {
    /// The longest duration in use, 100 years.
    ///
    /// Clocks trap on durations that they can't represent in nanoseconds.
    package static let longest = Duration.seconds(100 * 365 * 86_400 as Int64)

    /// The duration, limited to ``longest`` in either direction.
    ///
    /// Callers, errors, and clocks can supply any duration. Sums of bounded durations don't overflow, and clocks can
    /// represent them.
    package var bounded: Duration { min(max(self, .zero - Self.longest), Self.longest) }

    /// The duration in whole nanoseconds, clamped to the range of `Int64` (292 years).
    var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
