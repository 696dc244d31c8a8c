import Synchronization

/// How often each rule decided a report of a bus.
///
/// The worker counts, and any thread can read the counts. Programs can keep creating scopes with new rules, so the
/// number of separate counts is limited; rules beyond the limit are counted together.
///
/// `@unchecked` because of the array's pointer: its elements are atomics.
struct RuleTally: ~Copyable, @unchecked Sendable {
    /// The count of one rule.
    ///
    /// The entry retains the rule's description, whose address identifies the rule. It doesn't retain the rule itself,
    /// because the action of a scope's rule might retain the request that the scope was created for, or the bus.
    final class Entry: Sendable {
        let rule: RuleDescription
        private let number = Atomic<Int64>(0)

        init(_ rule: RuleDescription) { self.rule = rule }

        var count: Int { Int(clamping: number.load(ordering: .relaxed)) }

        @inline(__always)
        func add() { number.wrappingAdd(1, ordering: .relaxed) }
    }

    private struct State {
        /// The entries in the order in which their rules first decided.
        var entries: [Entry] = []
        /// The positions of the entries by the addresses of their descriptions.
        var indices: [UInt: Int] = [:]
        var beyond = 0
    }

    /// The addresses of the descriptions of the rules that decided first, each followed by the address of the rule's
    /// entry; 0 in free places.
    ///
    /// Usually these rules decide again, and then they are counted without a lock. They are searched one after another.
    /// In a hash table of addresses, the steps would depend on where a description was allocated, but the explorer in
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
        let identity = rule.read { $0.registration.knownIdentity }
        for index in 0..<Self.firstCount {
            let address = first[2 &* index].load(ordering: .acquiring)
            if address == 0 { break }
            // Read the entry by its address: an entry lives as long as the tally.
            if address == identity,
                let entry = unsafe Borrowed<Entry>(at: first[2 &* index &+ 1].load(ordering: .relaxed))
            {
                return entry.read { $0.add() }
            }
        }
        countOther(rule, identity)
    }

    @inline(never)
    private func countOther(_ rule: Borrowed<Rule>, _ identity: UInt) {
        let isCounted = state.withLock { state in
            if let index = state.indices[identity] {
                state.entries[index].add()
            } else if state.entries.count == limit {
                state.beyond += 1
            } else {
                return false
            }
            return true
        }
        // Create the description only for an entry: most scopes' rules decide once, and their outcomes aren't read.
        if !isCounted { add(rule.read { $0.registration.description }) }
    }

    /// Counts the first report that a rule decided; only the worker adds rules.
    private func add(_ rule: RuleDescription) {
        let (entry, identity) = (Entry(rule), Borrowed(rule.storage).address)
        entry.add()
        state.withLock { state in
            let index = state.entries.count
            state.indices[identity] = index
            state.entries.append(entry)
            guard index < Self.firstCount else { return }
            first[2 * index + 1].store(Borrowed(entry).address, ordering: .relaxed)
            first[2 * index].store(identity, ordering: .releasing)
        }
    }

    /// Returns the counts of a handler's rules in the order in which they are tried, then the counts of scopes' rules.
    func counts(with handler: ErrorHandler) -> RuleCounts {
        let (entries, beyond) = state.withLock { ($0.entries, $0.beyond) }
        let known = Dictionary(entries.map { ($0.rule, $0.count) }, uniquingKeysWith: +)
        let own = handler.rules[.rule].map { $0.registration.description }
        let ownRules = Set(own)
        let others = entries.filter { !ownRules.contains($0.rule) }
        return RuleCounts(own.map { ($0, known[$0] ?? 0) } + others.map { ($0.rule, $0.count) }, others: beyond)
    }
}
