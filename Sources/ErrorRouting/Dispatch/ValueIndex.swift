/// The index for values of one type: a few values are compared one by one; more are found by hash.
///
/// The values lie in memory of their own: the runtime would look up the type of a generic array, or of an optional
/// value, at every call.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class ValueIndex<Value: Error & Hashable>: StepIndex, @unchecked Sendable {
    /// The largest number of values that are compared without a hash.
    private static var fewValues: Int { 4 }

    private let count: Int
    private let values: UnsafeMutablePointer<Value>
    private let lists: UnsafeMutablePointer<RuleStepList>
    /// Each value's place plus one, by the value's hash; nil for a few values.
    private let table: ProbeTable?
    /// Retains the steps that the lists refer to.
    private let steps: [RuleSteps]

    /// - Parameters:
    ///   - rules: The rules in order, each of which requires a value of the type.
    ///   - others: The steps for all errors of the type.
    init(_ rules: [RuleStep], among others: [RuleStep]) {
        let groups = Self.grouped(rules)
        count = groups.count
        unsafe values = .allocate(capacity: groups.count)
        unsafe lists = .allocate(capacity: groups.count)
        let steps = groups.map { RuleSteps.make(others + $0.steps) }
        let table = groups.count > Self.fewValues ? ProbeTable(room: groups.count) : nil
        for (place, group) in groups.enumerated() {
            unsafe (values + place).initialize(to: group.value)
            unsafe (lists + place).initialize(to: steps[place].list)
            table?.insert(UInt(place + 1), for: UInt(bitPattern: group.hash))
        }
        self.table = table
        self.steps = steps
    }

    /// Returns the rules grouped by value.
    ///
    /// Uses no dictionary of values, which would trap if their `==` and `hash` were inconsistent.
    private static func grouped(_ rules: [RuleStep]) -> [(value: Value, hash: Int, steps: [RuleStep])] {
        var groups: [(value: Value, hash: Int, steps: [RuleStep])] = []
        var numbersByHash: [Int: [Int]] = [:]
        for rule in rules {
            // No error equals a value that does not equal itself.
            guard let value = rule.shape.requiredValue as? Value, value == value else { continue }
            let hash = value.hashValue
            let known = numbersByHash[hash]?.first { groups[$0].value == value }
            let number = known ?? groups.count
            if known == nil {
                groups.append((value, hash, []))
                numbersByHash[hash, default: []].append(number)
            }
            groups[number].steps.append(rule.judged(isCertain: rule.shape.isPlain))
        }
        return groups
    }

    deinit {
        unsafe values.deinitialize(count: count)
        unsafe values.deallocate()
        unsafe lists.deallocate()
        table?.deallocate()
    }

    override func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList? {
        guard let entry = PerThread.enterMatcher() else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        return steps(for: unsafe BoxContent.content(content, as: Value.self))
    }

    private func steps(for value: Value) -> RuleStepList? {
        var place = 0
        if let table {
            let isWanted = { (place: UInt) in unsafe self.values[Int(bitPattern: place) - 1] == value }
            place = Int(bitPattern: table.find(UInt(bitPattern: value.hashValue), where: isWanted)) - 1
            if place < 0 { return nil }
        } else {
            while unsafe place < count && values[place] != value { place += 1 }
            if place == count { return nil }
        }
        // An error that does not equal itself matches no value.
        return value == value ? unsafe lists[place] : nil
    }
}

/// Returns an index for values of a type.
///
/// - Parameters:
///   - type: The errors' dynamic type.
///   - rules: The rules in order, each of which requires a value of that type.
///   - others: The steps for all errors of the type.
/// - Returns: The index; nil if the type is not `Hashable` on every actor, or if matchers recurse too deep: to make the
///   index runs user code (`==`, `hash`), which may dispatch errors of the type.
func makeValueIndex(_ type: any Error.Type, _ rules: [RuleStep], among others: [RuleStep]) -> StepIndex? {
    // A global actor's `hash` must not be called elsewhere: the cast of a `Sendable` value fails then, unlike that of
    // its type.
    guard let value = rules.first?.shape.requiredValue as (any Sendable)?, value is any (Error & Hashable),
        let hashable = type as? any (Error & Hashable).Type, let entry = PerThread.enterMatcher()
    else { return nil }
    defer { PerThread.leaveMatcher(entry) }
    func make<Value: Error & Hashable>(_ type: Value.Type) -> StepIndex { ValueIndex<Value>(rules, among: others) }
    return make(hashable)
}
