import Synchronization

/// Counts how many orders and files came to which end.
///
/// Workers record successes. The rules' actions record failures, which no other code handles.
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

    /// The process's ledger.
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

    /// Records an order that waits for approval.
    func hold(cents: Int) {
        record(.heldForApproval)
        largestHeld.value.max(cents, ordering: .relaxed)
    }

    /// Records an error that the rules have handled.
    func recordError() {
        errors.value.add(1, ordering: .relaxed)
    }

    /// How many orders or files came to this end.
    subscript(entry: Entry) -> Int { counters[entry]?.value.load(ordering: .relaxed) ?? 0 }

    /// How many errors the rules have handled.
    var errorCount: Int { errors.value.load(ordering: .relaxed) }

    /// The amount of the largest order that waits for approval.
    var largestHeldCents: Int { largestHeld.value.load(ordering: .relaxed) }
}
