/// The rules for values of one `Hashable` error type, by value; its subclass knows the type.
///
/// Unchecked, since a class with subclasses cannot be checked; the only one has nothing but constants.
class ValueIndex: @unchecked Sendable {
    let hasAsynchronous: Bool

    init(hasAsynchronous: Bool) {
        self.hasAsynchronous = hasAsynchronous
    }

    /// The steps of the rules whose value an error equals, in order.
    ///
    /// It runs code of the user's.
    ///
    /// - Precondition: The error is of the index's type.
    func steps<Content: Error>(for content: Content) -> RuleStepList {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}

/// A few values are compared one by one, more of them are found by their hash.
///
/// The values lie in memory of their own: an array of a generic type is looked up at every call, and so would be an
/// optional value.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HashableValueIndex<Value: Error & Hashable>: ValueIndex, @unchecked Sendable {
    /// How many values are compared at most without asking for a hash.
    private static var fewValues: Int { 4 }

    private let count: Int
    private let values: UnsafeMutablePointer<Value>
    private let lists: UnsafeMutablePointer<RuleStepList>
    /// The places of the values plus one, by hash; nil for a few.
    private let table: ProbeTable?
    /// Holds what the lists refer to.
    private let steps: [RuleSteps]

    /// - Parameter rules: The rules in order, each with the value that it requires.
    init(_ rules: [(value: Value, rule: Rule, order: Int)]) {
        let groups = Self.grouped(rules)
        count = groups.count
        unsafe values = .allocate(capacity: groups.count)
        unsafe lists = .allocate(capacity: groups.count)
        let steps = groups.map { RuleSteps($0.steps) }
        let table = groups.count > Self.fewValues ? ProbeTable(room: groups.count) : nil
        for (place, group) in groups.enumerated() {
            unsafe (values + place).initialize(to: group.value)
            unsafe (lists + place).initialize(to: steps[place].list)
            table?.insert(UInt(place + 1), for: UInt(bitPattern: group.hash))
        }
        self.table = table
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
        unsafe values.deinitialize(count: count)
        unsafe values.deallocate()
        unsafe lists.deallocate()
        table?.deallocate()
    }

    override func steps<Content: Error>(for content: Content) -> RuleStepList {
        assert(type(of: content) is Value.Type, "\(Content.self) was taken for \(Value.self)")
        let value = unsafe unsafeBitCast(content, to: Value.self)
        var place = 0
        if let table {
            let isWanted = { (place: UInt) in unsafe self.values[Int(bitPattern: place) - 1] == value }
            place = Int(bitPattern: table.find(UInt(bitPattern: value.hashValue), where: isWanted)) - 1
            if place < 0 { return .none }
        } else {
            while unsafe place < count && values[place] != value { place += 1 }
            if place == count { return .none }
        }
        // What does not equal itself never matches.
        return value == value ? unsafe lists[place] : .none
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
