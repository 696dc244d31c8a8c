/// The rules for values of one `Hashable` error type, by value; its subclass knows the type.
///
/// Unchecked, since the compiler cannot check a class that has subclasses; all stored properties are constants.
class ValueIndex: @unchecked Sendable {
    let hasAsynchronous: Bool

    init(hasAsynchronous: Bool) {
        self.hasAsynchronous = hasAsynchronous
    }

    /// Returns the steps of the rules whose value an error equals, in order; runs user code (`==`, `hash`).
    ///
    /// - Precondition: The error is of the index's type.
    func steps<Content: Error>(for content: Content) -> RuleStepList {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}

/// The index for values of one type: a few values are compared one by one; more are found by hash.
///
/// The values lie in memory of their own: the runtime would look up the type of a generic array, or of an optional
/// value, at every call.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class HashableValueIndex<Value: Error & Hashable>: ValueIndex, @unchecked Sendable {
    /// The largest number of values that are compared without a hash.
    private static var fewValues: Int { 4 }

    private let count: Int
    private let values: UnsafeMutablePointer<Value>
    private let lists: UnsafeMutablePointer<RuleStepList>
    /// Each value's place plus one, by the value's hash; nil for a few values.
    private let table: ProbeTable?
    /// Retains the steps that the lists refer to.
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

    /// Returns the rules grouped by value.
    ///
    /// Uses no dictionary of values, which would trap if their `==` and `hash` were inconsistent.
    private static func grouped(_ rules: [(value: Value, rule: Rule, order: Int)]) -> [Group] {
        var groups: [Group] = []
        var numbersByHash: [Int: [Int]] = [:]
        for entry in rules {
            // No error equals a value that does not equal itself.
            guard entry.value == entry.value else { continue }
            let hash = entry.value.hashValue
            let known = numbersByHash[hash]?.first { groups[$0].value == entry.value }
            let number = known ?? groups.count
            if known == nil {
                groups.append(Group(value: entry.value, hash: hash))
                numbersByHash[hash, default: []].append(number)
            }
            groups[number].steps.append((entry.rule, entry.order, entry.rule.registration.shape.isPlain))
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
        // An error that does not equal itself matches no value.
        return value == value ? unsafe lists[place] : .none
    }
}

/// Returns an index for values of a type; nil if the type is not `Hashable`, or is bridged to `NSError`.
///
/// - Parameters:
///   - type: The errors' dynamic type.
///   - rules: The rules in order, each of which requires a value of that type.
func makeValueIndex(_ type: any Error.Type, _ rules: [(rule: Rule, order: Int)]) -> ValueIndex? {
    func make<Value: Error & Hashable>(_ type: Value.Type) -> ValueIndex {
        HashableValueIndex<Value>(
            rules.compactMap { entry in
                (entry.rule.registration.shape.requiredValue as? Value).map { ($0, entry.rule, entry.order) }
            }
        )
    }
    // Foundation's errors are compared one by one: on Linux their hash traps if the user info holds Swift errors.
    if NSErrorBridge.isBridged(type) { return nil }
    guard let hashable = type as? any (Error & Hashable).Type else { return nil }
    return make(hashable)
}
