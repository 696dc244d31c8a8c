/// The outcome counts of a bus, except those that the intake counts; 64 bits wide on all systems, because they grow as
/// long as the bus lives.
///
/// Each report has exactly one completion:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer one of its kind)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (removed by shutdown)
///                         └─ dropped                   (removed by shutdown)
struct BusCounts {
    /// At the beginning, the number of reports before the first one.
    private(set) var handled: Int64
    private(set) var ignored: Int64 = 0
    private(set) var unmatched: Int64 = 0
    var suppressed: Int64 = 0
    /// The posted notices of drops and of failures.
    var notices: Int64 = 0
    /// Dropped errors that a notice or the last resort has reported.
    var reportedDrops: Int64 = 0
    /// Reports that a shutdown removed, or that were still being posted then.
    var removed: Int64 = 0
    var actionFailures: Int64 = 0

    init(handled: Int64) { self.handled = handled }

    /// The number of delivered reports.
    var delivered: Int64 { handled + ignored + unmatched }

    mutating func addDelivered(_ disposition: HandleOutcome.Disposition) {
        switch disposition {
        case .ignored: ignored += 1
        case .unmatched: unmatched += 1
        default: handled += 1
        }
    }
}
