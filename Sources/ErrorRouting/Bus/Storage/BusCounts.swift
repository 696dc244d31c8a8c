/// What became of the reports of a bus, apart from what the intake counts; with 64 bits on all systems, since the
/// counts grow as long as the bus lives.
///
/// Each report reaches exactly one end:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer one of its fingerprint)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (taken back by shutdown)
///                         └─ dropped                   (taken back by shutdown)
struct BusCounts {
    /// At the beginning all reports before the first one's number.
    var handled: Int64
    var ignored: Int64 = 0
    var unmatched: Int64 = 0
    var suppressed: Int64 = 0
    /// Notices of drops and of failures that were made.
    var notices: Int64 = 0
    /// Dropped errors of which a notice, or the last resort, has said so.
    var reportedDrops: Int64 = 0
    /// Reports that a shutdown has taken back, or that were still being posted then.
    var takenBack: Int64 = 0
    var actionFailures: Int64 = 0

    /// How many reports were delivered.
    var delivered: Int64 { handled + ignored + unmatched }

    mutating func addDelivered(_ disposition: HandleOutcome.Disposition) {
        switch disposition {
        case .ignored: ignored += 1
        case .unmatched: unmatched += 1
        default: handled += 1
        }
    }
}
