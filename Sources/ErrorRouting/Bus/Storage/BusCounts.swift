/// The outcome counts of a bus, except those that the intake counts.
///
/// They are 64 bits wide on all systems, because they grow as long as the bus lives.
///
/// Each report has exactly one completion:
///
///     posted ─┬─ dropped                               (full, finished)
///             └─ pending ─┬─ held ─┬─ suppressed       (replaced by a newer report of its kind)
///                         │        └─ delivering
///                         ├─ delivering ─┬─ handled | ignored | unmatched
///                         │              └─ dropped    (removed by shutdown)
///                         └─ dropped                   (removed by shutdown)
struct BusCounts {
    /// The number of handled reports; it starts at the number of reports that count as already handled.
    private(set) var handled: Int64
    private(set) var ignored: Int64 = 0
    private(set) var unmatched: Int64 = 0
    /// The number of delivered reports, whatever was decided about them.
    private(set) var delivered: Int64
    var suppressed: Int64 = 0
    /// Notices of drops and of failures that the bus has posted.
    var notices: Int64 = 0
    /// Dropped errors that a notice or the last resort has reported.
    var reportedDrops: Int64 = 0
    /// Reports that a shutdown removed, or that were still being posted during the shutdown.
    var removed: Int64 = 0
    var actionFailures: Int64 = 0

    init(handled: Int64) { (self.handled, delivered) = (handled, handled) }

    mutating func addDelivered(_ decision: Decision) {
        delivered += 1
        switch decision {
        case .handled: handled += 1
        case .ignored: ignored += 1
        case .unmatched: unmatched += 1
        }
    }
}
