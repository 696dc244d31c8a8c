import Synchronization

/// What the service has to show for itself: how many orders came to which end.
///
/// Workers enter what succeeds. What fails is entered by the rules' actions, the only place that knows of it.
final class Ledger: Sendable {
    enum Entry: String, Sendable, CaseIterable {
        case accepted = "orders accepted"
        case paid = "of them paid"
        case due = "of them due for another attempt at payment"
        case declined = "of them declined by the payment endpoint"
        case heldForApproval = "orders held for approval"
        case abandoned = "empty orders closed"
        case refused = "orders refused"
        case quarantined = "files moved to quarantine"
        case left = "files left for somebody to look at"
    }

    /// The process's books.
    static let shared = Ledger()

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    private let counters = Dictionary(uniqueKeysWithValues: Entry.allCases.map { ($0, Counter()) })
    private let errors = Counter()
    private let largestHeld = Counter()

    func record(_ entry: Entry) {
        counters[entry]?.value.add(1, ordering: .relaxed)
    }

    /// An order waits for approval.
    func hold(cents: Int) {
        record(.heldForApproval)
        largestHeld.value.max(cents, ordering: .relaxed)
    }

    /// An error has been through the rules.
    func recordError() {
        errors.value.add(1, ordering: .relaxed)
    }

    /// How many orders or files came to an end.
    subscript(entry: Entry) -> Int { counters[entry]?.value.load(ordering: .relaxed) ?? 0 }

    /// How many errors have been through the rules.
    var errorCount: Int { errors.value.load(ordering: .relaxed) }

    /// What the largest of the orders that wait for approval is worth.
    var largestHeldCents: Int { largestHeld.value.load(ordering: .relaxed) }
}
