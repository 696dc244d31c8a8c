/// The rules for values of one `Hashable` error type, by value; its subclass knows the type.
///
/// Unchecked, since a class with subclasses cannot be checked; the only one has nothing but constants.
class ValueIndex: @unchecked Sendable {
    let hasAsynchronous: Bool

    init(hasAsynchronous: Bool) {
        self.hasAsynchronous = hasAsynchronous
    }

    /// The steps of the rules whose value the error equals, in order.
    func steps(for subject: borrowing ErrorSubject) -> RuleStepList {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}

/// A hash table in memory of its own, since reading a dictionary retains it.
///
/// Hashes and values lie apart: a slot with a value in it would be of a generic type, which is looked up at every call,
/// and so would be an optional value.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HashableValueIndex<Value: Error & Hashable>: ValueIndex, @unchecked Sendable {
    private let slots: UnsafeMutablePointer<ValueSlot>
    private let mask: Int
    /// The values, by the numbers in the slots.
    private let values: UnsafeMutablePointer<Value>
    private let steps: [RuleSteps]

    /// - Parameter rules: The rules in order, each with the value that it requires.
    init(_ rules: [(value: Value, rule: Rule, order: Int)]) {
        let groups = Self.grouped(rules)
        var capacity = 2
        // At most half full, so that a search always meets an end.
        while capacity < groups.count * 2 { capacity *= 2 }
        mask = capacity - 1
        unsafe slots = .allocate(capacity: capacity)
        unsafe slots.initialize(repeating: ValueSlot(), count: capacity)
        unsafe values = .allocate(capacity: groups.count)
        var steps: [RuleSteps] = []
        for group in groups {
            let list = RuleSteps(group.steps)
            var index = group.hash & mask
            while unsafe slots[index].number >= 0 { index = (index + 1) & mask }
            unsafe slots[index] = ValueSlot(number: steps.count, hash: group.hash, steps: list.list)
            unsafe (values + steps.count).initialize(to: group.value)
            steps.append(list)
        }
        self.steps = steps
        super.init(hasAsynchronous: steps.contains(where: \.hasAsynchronous))
    }

    /// The rules for one value.
    private struct Group {
        let value: Value
        let hash: Int
        var steps: [(rule: Rule, order: Int, isCertain: Bool)] = []
    }

    /// The rules by their values.
    ///
    /// Not by a dictionary of values, which traps where their `==` or hash is not to be relied upon.
    private static func grouped(_ rules: [(value: Value, rule: Rule, order: Int)]) -> [Group] {
        var groups: [Group] = []
        var numbersByHash: [Int: [Int]] = [:]
        for entry in rules {
            // What does not equal itself is found by nothing.
            guard entry.value == entry.value else { continue }
            let hash = entry.value.hashValue
            let known = numbersByHash[hash]?.first { groups[$0].value == entry.value }
            let number = known ?? groups.count
            if known == nil {
                groups.append(Group(value: entry.value, hash: hash))
                numbersByHash[hash, default: []].append(number)
            }
            groups[number].steps.append((entry.rule, entry.order, entry.rule.shape.isPlainValue))
        }
        return groups
    }

    deinit {
        unsafe slots.deallocate()
        unsafe values.deinitialize(count: steps.count)
        unsafe values.deallocate()
    }

    override func steps(for subject: borrowing ErrorSubject) -> RuleStepList {
        // The plan is that of the error's own type, and so is the index; but the box may say a class above it.
        subject.isExactly(Value.self) ? unsafe find(subject.error(as: Value.self)) : findByCasting(subject.error)
    }

    /// Apart, since what a cast gives is an optional of a type that is looked up at every call.
    @inline(never)
    private func findByCasting(_ error: any Error) -> RuleStepList {
        guard let value = error as? Value else { return .none }
        return find(value)
    }

    private func find(_ value: Value) -> RuleStepList {
        let hash = value.hashValue
        var index = hash & mask
        while unsafe slots[index].number >= 0 {
            if unsafe slots[index].hash == hash, unsafe values[slots[index].number] == value {
                // What does not equal itself never matches.
                return value == value ? unsafe slots[index].steps : .none
            }
            index = (index + 1) & mask
        }
        return .none
    }
}

/// What an index has for one value.
private struct ValueSlot {
    /// Which value it is; negative where the slot is free.
    var number = -1
    var hash = 0
    var steps = RuleStepList.none
}

/// Makes an index for values of a type, if it is `Hashable`.
///
/// - Parameters:
///   - type: The errors' dynamic type.
///   - rules: The rules in order, each of which requires a value of that type.
func makeValueIndex(_ type: any Error.Type, _ rules: [(rule: Rule, order: Int)]) -> ValueIndex? {
    func make<Value: Error & Hashable>(_ type: Value.Type) -> ValueIndex {
        HashableValueIndex<Value>(
            rules.compactMap { entry in
                (entry.rule.shape.requiredValue as? Value).map { ($0, entry.rule, entry.order) }
            }
        )
    }
    // Foundation's errors are compared one by one: on Linux their hash traps where the user info holds Swift errors.
    if NSErrorBridge.isBridged(type) { return nil }
    guard let hashable = type as? any (Error & Hashable).Type else { return nil }
    return make(hashable)
}
