/// How often each rule decided a report of a bus; part of the bus's state.
///
/// Programs can keep creating scopes with new rules, so the number of separate counts is limited; rules beyond the
/// limit are counted together.
struct RuleTally {
    /// The count of one rule.
    ///
    /// The entry retains the rule's description, whose address identifies the rule. It doesn't retain the rule itself,
    /// because the action of a scope's rule might retain the request that the scope was created for, or the bus.
    private struct Entry {
        let identity: UInt
        let rule: RuleDescription
        var count = 1
    }

    /// The entries in the order in which their rules first decided.
    private var entries: [Entry] = []
    /// The positions of the entries by the addresses of their descriptions.
    private var indices: [UInt: Int] = [:]
    private var others = 0
    private let limit: Int

    /// The number of entries that are searched before the hash table is: the rules that decided first usually decide
    /// again.
    private static let firstCount = 8

    init(limit: Int = 1_000) { self.limit = limit }

    /// Counts a report that a rule decided.
    @inline(__always)
    mutating func count(_ rule: Borrowed<Rule>) {
        let identity = rule.read { $0.knownIdentity }
        for index in 0..<min(entries.count, Self.firstCount) where entries[index].identity == identity {
            entries[index].count &+= 1
            return
        }
        countOther(rule, identity)
    }

    @inline(never)
    private mutating func countOther(_ rule: Borrowed<Rule>, _ identity: UInt) {
        if let index = indices[identity] {
            entries[index].count &+= 1
        } else if entries.count == limit {
            others &+= 1
        } else {
            // Create the description only for an entry: most scopes' rules decide once, and their outcomes aren't read.
            let description = rule.read { $0.description }
            let identity = Borrowed(description.storage).address
            indices[identity] = entries.count
            entries.append(Entry(identity: identity, rule: description))
        }
    }

    /// Returns the counts of a handler's rules in the order in which they are tried, then the counts of scopes' rules.
    func counts(with handler: ErrorHandler) -> RuleCounts {
        let known = Dictionary(entries.map { ($0.rule, $0.count) }, uniquingKeysWith: +)
        let own = handler.rules[.rule].map { $0.description }
        let ownRules = Set(own)
        let scopes = entries.filter { !ownRules.contains($0.rule) }
        return RuleCounts(own.map { ($0, known[$0] ?? 0) } + scopes.map { ($0.rule, $0.count) }, others: others)
    }
}
