/// What a bus has taken, and what became of it, in counts that are not cut off; ``ErrorBus/Statistics`` says what each
/// means.
struct BusCounts: Equatable {
    var posted: Int64
    var handled: Int64
    var ignored: Int64
    var unmatched: Int64
    var suppressed: Int64
    var dropped: Int64
    var pending: Int64
    var actionFailures: Int64

    /// The same in `Int`s, which have 32 bits on some systems.
    var statistics: ErrorBus.Statistics {
        ErrorBus.Statistics(
            posted: Int(clamping: posted),
            handled: Int(clamping: handled),
            ignored: Int(clamping: ignored),
            unmatched: Int(clamping: unmatched),
            suppressed: Int(clamping: suppressed),
            dropped: Int(clamping: dropped),
            pending: Int(clamping: pending),
            actionFailures: Int(clamping: actionFailures)
        )
    }
}
