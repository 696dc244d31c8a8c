/// The steps by key; a few keys are compared one by one, and more are found by hash.
///
/// The keys are in their own memory, because the runtime would look up the type of a generic array or of an optional
/// key at every call.
class KeyIndex<Key: Equatable>: StepIndex, @unchecked Sendable {
    typealias Entry = (key: Key, hash: Int, step: RuleStep)

    /// The largest number of keys that are compared without a hash.
    private static var fewKeys: Int { 4 }

    private let keys: FixedArray<Key>
    /// Each key's steps.
    private let lists: [RuleStepList]
    /// Each key's position plus one, by the key's hash.
    private let table: ProbeTable
    /// The owners of the steps in the lists.
    private let memory: [RuleSteps]

    /// - Parameters:
    ///   - rules: What the entries are made of, in order; an array, because a lazy sequence isn't specialized for the
    ///     key, and each of its steps would look up types.
    ///   - others: The steps for all errors with a key.
    ///   - entry: Returns a rule's entry; nil if the rule has no key.
    @inline(__always)
    init<Keyed>(_ rules: [Keyed], among others: (Key) -> [RuleStep], _ entry: (Keyed) -> Entry?) {
        var keys = FixedArray<Key>(capacity: rules.count)
        table = ProbeTable(room: rules.count)
        // A dictionary of keys would trap if the user's `==` and `hash` were inconsistent.
        var groups: [[RuleStep]] = []
        for rule in rules {
            // Skip a key that doesn't equal itself: no error matches it.
            guard let (key, hash, step) = entry(rule), key == key else { continue }
            if let known = Self.position(of: key, hash, in: keys, table) {
                groups[known].append(step)
            } else {
                keys.append(key)
                table.insert(UInt(keys.count), for: UInt(bitPattern: hash))
                groups.append([step])
            }
        }
        var memory: [RuleSteps] = []
        for position in groups.indices { memory.append(.make(others(keys[position]) + groups[position])) }
        self.memory = memory
        self.keys = keys
        lists = memory.map(\.list)
    }

    deinit { table.deallocate() }

    /// Returns the steps for a key; nil if no rule has it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - hash: Returns the key's hash, as for the entries; called only if there are more than a few keys.
    @inline(__always)
    final func find(_ key: Key, _ hash: @autoclosure () -> Int) -> RuleStepList? {
        Self.position(of: key, hash(), in: keys, table).map { lists[$0] }
    }

    // Put the wanted key first, like the error in a matcher's comparison: a user's `==` might not be symmetric.
    @inline(__always)
    private static func position(
        of key: Key, _ hash: @autoclosure () -> Int, in keys: borrowing FixedArray<Key>, _ table: ProbeTable
    ) -> Int? {
        if keys.count <= fewKeys {
            var position = 0
            while position < keys.count, key != keys[position] { position += 1 }
            return position == keys.count ? nil : position
        }
        let found = table.find(UInt(bitPattern: hash())) { key == keys[Int(bitPattern: $0) - 1] }
        return found == 0 ? nil : Int(bitPattern: found) - 1
    }
}

/// The steps by an error's value.
///
/// It is in this file because the compiler otherwise inlines less of a lookup, which costs each dispatch 1 %.
final class ValueIndex<Value: Error & Hashable>: KeyIndex<Value>, @unchecked Sendable {
    override func lookUp<Content: Error>(
        _ content: Content, _ error: UnboxedError, _ notes: inout DispatchNotes
    ) -> RuleStepList? {
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        let value = unsafe BoxContent.content(content, as: Value.self)
        // An error that doesn't equal itself matches no value.
        return value == value ? find(value, value.hashValue) : nil
    }
}
