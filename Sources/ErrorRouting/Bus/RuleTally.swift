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

    private struct State {
        /// In the order in which the rules first decided.
        var entries: [Entry] = []
        var indices: [ObjectIdentifier: Int] = [:]
        var beyond = 0
    }

    /// The address of the entry that counted last: usually it counts again, without a lock.
    private let last = Atomic<UInt>(0)
    // A dictionary rather than a table of addresses, so that no schedule depends on where a rule was allocated.
    private let state = Locked(State())
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
        countOther(rule.object)
    }

    @inline(never)
    private func countOther(_ rule: Rule) {
        state.withLock { state in
            let index = state.indices[ObjectIdentifier(rule)] ?? state.entries.count
            if index == state.entries.count {
                guard index < limit else { return state.beyond += 1 }
                state.indices[ObjectIdentifier(rule)] = index
                state.entries.append(Entry(rule))
            }
            state.entries[index].add()
            last.store(Borrowed(state.entries[index]).address, ordering: .releasing)
        }
    }

    /// The counts of a handler's rules in the order in which they are tried, then those of scopes' rules.
    func counts(with handler: ErrorHandler) -> RuleCounts {
        let (entries, beyond) = state.withLock { ($0.entries, $0.beyond) }
        let known = Dictionary(entries.map { (ObjectIdentifier($0.rule), $0.count) }, uniquingKeysWith: +)
        let own = handler.rules[.rule]
        let ownRules = Set(own.map { ObjectIdentifier($0) })
        let rows =
            own.map { ($0.registration.description, known[ObjectIdentifier($0)] ?? 0) }
            + entries.filter { !ownRules.contains(ObjectIdentifier($0.rule)) }.map {
                ($0.rule.registration.description, $0.count)
            }
        return RuleCounts(rows, others: beyond)
    }
}
