import Synchronization

/// How often each rule decided a report of a bus.
///
/// The worker counts; any thread can read. The rules of ever new scopes must not grow it without end, so rules beyond
/// the limit are counted together.
struct RuleTally: ~Copyable, Sendable {
    /// The count of one rule, which it retains so that its address isn't used again.
    final class Entry: Sendable {
        let rule: Rule
        private let number = Atomic<Int64>(0)

        /// The rule's address.
        let address: UInt

        init(_ rule: Rule) { (self.rule, address) = (rule, Borrowed(rule).address) }

        var count: Int { Int(clamping: number.load(ordering: .relaxed)) }

        @inline(__always)
        func add() { number.wrappingAdd(1, ordering: .relaxed) }
    }

    private let entries = TypeTable<Entry>()
    /// The entry that counted last: usually it counts again.
    private let last = Atomic<UInt>(0)
    private let size = Atomic<Int>(0)
    private let beyond = Atomic<Int64>(0)
    private let limit: Int

    init(limit: Int = 1_000) { self.limit = limit }

    /// Counts a report that a rule decided.
    @inline(__always)
    func count(_ rule: Borrowed<Rule>) {
        // An entry lives as long as the tally, so it can be read by its address.
        if let entry = unsafe Borrowed<Entry>(at: last.load(ordering: .acquiring)),
            entry.read({ $0.address == rule.address })
        {
            return entry.read { $0.add() }
        }
        countOther(rule)
    }

    @inline(never)
    private func countOther(_ rule: Borrowed<Rule>) {
        guard let entry = entries[rule.address] else { return countFirst(rule) }
        last.store(entry.address, ordering: .releasing)
        entry.read { $0.add() }
    }

    private func countFirst(_ rule: Borrowed<Rule>) {
        guard size.load(ordering: .relaxed) < limit else {
            beyond.wrappingAdd(1, ordering: .relaxed)
            return
        }
        size.wrappingAdd(1, ordering: .relaxed)
        entries.insert(Entry(rule.object), for: rule.address).read { $0.add() }
    }

    /// The counts of a handler's rules in the order in which they are tried, then those of scopes' rules.
    func counts(with handler: ErrorHandler) -> RuleCounts {
        let entries = entries.entries
        let known = Dictionary(entries.map { (ObjectIdentifier($0.rule), $0.count) }, uniquingKeysWith: +)
        let own = handler.rules[.rule]
        let ownRules = Set(own.map { ObjectIdentifier($0) })
        let rows =
            own.map { ($0.registration.description, known[ObjectIdentifier($0)] ?? 0) }
            + entries.filter { !ownRules.contains(ObjectIdentifier($0.rule)) }.map {
                ($0.rule.registration.description, $0.count)
            }
        return RuleCounts(rows, others: Int(clamping: beyond.load(ordering: .relaxed)))
    }
}
