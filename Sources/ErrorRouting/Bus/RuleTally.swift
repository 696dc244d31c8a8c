import Synchronization

/// How often each rule decided a report of a bus.
///
/// The worker counts, and any thread can read the counts. Programs can keep creating scopes with new rules, so the
/// number of separate counts is limited; rules beyond the limit are counted together.
///
/// `@unchecked` because of the array's pointer: its elements are atomics.
struct RuleTally: ~Copyable, @unchecked Sendable {
    /// The count of one rule; it retains the rule so that the rule's address isn't reused.
    final class Entry: Sendable {
        let rule: Rule
        private let number = Atomic<Int64>(0)

        init(_ rule: Rule) { self.rule = rule }

        var count: Int { Int(clamping: number.load(ordering: .relaxed)) }

        @inline(__always)
        func add() { number.wrappingAdd(1, ordering: .relaxed) }
    }

    private struct State {
        /// The entries in the order in which their rules first decided.
        var entries: [Entry] = []
        var indices: [ObjectIdentifier: Int] = [:]
        var beyond = 0
    }

    /// The addresses of the rules that decided first, each followed by the address of its entry; 0 in free places.
    ///
    /// Usually these rules decide again, and then they are counted without a lock. They are searched one after another.
    /// In a hash table of addresses, the steps would depend on where a rule was allocated, but the explorer in
    /// `Tests/Interleavings` needs the same steps in each execution.
    private let first: FixedArray<Atomic<UInt>>
    private let state = Locked(State())
    private let limit: Int

    private static let firstCount = 8

    init(limit: Int = 1_000) {
        var first = FixedArray<Atomic<UInt>>(capacity: 2 * Self.firstCount)
        for _ in 0..<2 * Self.firstCount { first.append(Atomic(0)) }
        self.first = first
        self.limit = limit
    }

    /// Counts a report that a rule decided.
    @inline(__always)
    func count(_ rule: Borrowed<Rule>) {
        for index in 0..<Self.firstCount {
            let address = first[2 &* index].load(ordering: .acquiring)
            if address == 0 { break }
            // Read the entry by its address: an entry lives as long as the tally.
            if address == rule.address,
                let entry = unsafe Borrowed<Entry>(at: first[2 &* index &+ 1].load(ordering: .relaxed))
            {
                return entry.read { $0.add() }
            }
        }
        countOther(rule)
    }

    @inline(never)
    private func countOther(_ rule: Borrowed<Rule>) {
        let rule = rule.object
        state.withLock { state in
            let index = state.indices[ObjectIdentifier(rule)] ?? state.entries.count
            if index == state.entries.count {
                guard index < limit else { return state.beyond += 1 }
                state.indices[ObjectIdentifier(rule)] = index
                let entry = Entry(rule)
                state.entries.append(entry)
                if index < Self.firstCount {
                    first[2 * index + 1].store(Borrowed(entry).address, ordering: .relaxed)
                    first[2 * index].store(Borrowed(rule).address, ordering: .releasing)
                }
            }
            state.entries[index].add()
        }
    }

    /// Returns the counts of a handler's rules in the order in which they are tried, then the counts of scopes' rules.
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
