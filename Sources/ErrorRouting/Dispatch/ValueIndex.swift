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
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HashableValueIndex<Value: Error & Hashable>: ValueIndex, @unchecked Sendable {
    private struct Slot {
        var value: Value?
        var hash = 0
        var steps = RuleStepList.none
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let mask: Int
    private let steps: [RuleSteps]

    /// - Parameter rules: The rules in order, each with the value that it requires.
    init(_ rules: [(value: Value, rule: Rule, order: Int)]) {
        var groups: [Value: [(rule: Rule, order: Int, isCertain: Bool)]] = [:]
        for entry in rules {
            // What does not equal itself is found by nothing.
            guard entry.value == entry.value else { continue }
            let isCertain = entry.rule.shape.isPlainValue
            groups[entry.value, default: []].append((entry.rule, entry.order, isCertain))
        }
        let (mask, slots) = unsafe Self.allocate(for: groups.count)
        self.mask = mask
        unsafe self.slots = unsafe slots
        var steps: [RuleSteps] = []
        for (value, group) in groups {
            let list = RuleSteps(group)
            steps.append(list)
            let hash = value.hashValue
            var index = hash & mask
            while unsafe slots[index].value != nil { index = (index + 1) & mask }
            unsafe slots[index] = Slot(value: value, hash: hash, steps: list.list)
        }
        self.steps = steps
        super.init(hasAsynchronous: steps.contains(where: \.hasAsynchronous))
    }

    deinit {
        unsafe slots.deinitialize(count: mask + 1)
        unsafe slots.deallocate()
    }

    override func steps(for subject: borrowing ErrorSubject) -> RuleStepList {
        if subject.isExactly(Value.self) { return find(subject.error(as: Value.self)) }
        // The plan is that of the error's dynamic type, and so is the index; but the box may say a class above it.
        guard let value = subject.error as? Value else { return .none }
        return find(value)
    }

    private func find(_ value: Value) -> RuleStepList {
        let hash = value.hashValue
        var index = hash & mask
        while let candidate = unsafe slots[index].value {
            if unsafe slots[index].hash == hash, candidate == value { return unsafe slots[index].steps }
            index = (index + 1) & mask
        }
        return .none
    }

    /// At most half full, so that a search always meets an end.
    private static func allocate(for count: Int) -> (mask: Int, slots: UnsafeMutablePointer<Slot>) {
        var capacity = 2
        while capacity < count * 2 { capacity *= 2 }
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        unsafe slots.initialize(repeating: Slot(), count: capacity)
        return unsafe (capacity - 1, slots)
    }
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
