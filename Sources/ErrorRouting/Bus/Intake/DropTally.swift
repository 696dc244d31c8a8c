import BoundedDescriptions
import Synchronization

/// The number of errors dropped since the last notice, by type.
///
/// Drops come in floods, so they are counted without a lock, except the first drop of each type. A caller counts its
/// drop first for its type and then in the total. A notice empties the types' counts and subtracts them from the total.
/// So when all drops are counted, the total is the number of unreported drops. The total changes from 0 to 1 exactly
/// when a notice must be created, and each drop is in exactly one notice.
///
/// Memory orders: changes to the total use both orders. Therefore the thread that creates the next notice comes after
/// the thread that emptied the counts, and a notice that finds more drops in the total finds them in the types' counts
/// too, although those are changed with relaxed order.
struct DropTally: ~Copyable, Sendable {
    // Don't make it private: Swift 6.3.1 crashes if it compiles another file that destroys a tally.
    final class Count: Sendable {
        let type: any Error.Type
        let drops = Atomic<Int64>(0)

        init(of type: any Error.Type) { self.type = type }
    }

    /// The counts of the first types; drops of all other types are counted together.
    private let counts = TypeTable<Count>(limit: 64)
    private let others = Atomic<Int64>(0)
    /// Whether a type had no room; drops of such types don't look for room again, because that takes a lock.
    private let isFull = Atomic<Bool>(false)
    /// The number of drops that notices haven't reported.
    ///
    /// It is briefly negative if a count is emptied before the caller has counted its drop here.
    private let total = Atomic<Int64>(0)

    /// Counts a dropped error; returns whether the caller must announce a notice.
    func add(_ type: any Error.Type) -> Bool {
        if let count = counts[type] ?? newCount(of: type) {
            count.read { _ = $0.drops.wrappingAdd(1, ordering: .relaxed) }
        } else {
            others.wrappingAdd(1, ordering: .relaxed)
        }
        return total.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0
    }

    @inline(never)
    private func newCount(of type: any Error.Type) -> Borrowed<Count>? {
        if isFull.load(ordering: .relaxed) { return nil }
        let count = counts.insert(Count(of: type), for: type)
        if count == nil { isFull.store(true, ordering: .relaxed) }
        return count
    }

    /// The number of drops that notices haven't reported.
    var unreported: Int64 { total.load(ordering: .acquiring) }

    /// Moves the counted drops to a notice's counts by type; must be called under the bus's lock.
    ///
    /// Returns whether more errors were dropped during the call; another notice must include them.
    func take(into drops: inout [String: Int64]) -> Bool {
        var taken = others.exchange(0, ordering: .relaxed)
        if taken > 0 { drops[ErrorsDropped.otherTypes, default: 0] += taken }
        for count in counts.entries {
            let dropped = count.drops.exchange(0, ordering: .relaxed)
            if dropped > 0 { drops[TypeName.full(count.type), default: 0] += dropped }
            taken += dropped
        }
        return total.wrappingSubtract(taken, ordering: .acquiringAndReleasing).newValue > 0
    }
}
