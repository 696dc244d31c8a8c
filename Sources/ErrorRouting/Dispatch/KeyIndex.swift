import Foundation

/// Steps that depend on more than an error's type: on its value, or on its domain and code.
///
/// Each list has the steps for all errors of the type too, so that a dispatch reads one.
///
/// Unchecked, since the compiler cannot check a class that has subclasses; all stored properties are constants.
class StepIndex: @unchecked Sendable {
    /// Returns the steps for an error, or nil if it is like no rule's; runs user code (`==`, `hash`, an error's code).
    ///
    /// - Precondition: The error is of the type that the index is for.
    func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList? {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}

/// The steps by what an error has to be like: a few keys are compared one by one; more are found by hash.
///
/// The keys lie in memory of their own: the runtime would look up the type of a generic array, or of an optional key, at
/// every call.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe class KeyIndex<Key: Hashable>: StepIndex, @unchecked Sendable {
    typealias Entry = (key: Key, step: RuleStep)

    /// The largest number of keys that are compared without a hash.
    private static var fewKeys: Int { 4 }

    private let count: Int
    private let keys: UnsafeMutablePointer<Key>
    private let lists: UnsafeMutablePointer<RuleStepList>
    /// Each key's place plus one, by the key's hash; nil for a few keys.
    private let table: ProbeTable?
    /// Retains the steps that the lists refer to.
    private let steps: [RuleSteps]

    /// - Parameters:
    ///   - entries: The rules in order, each with its key.
    ///   - others: The steps for all errors with a key.
    init(_ entries: [Entry], among others: (Key) -> [RuleStep]) {
        // No dictionary of keys, which would trap if the user's `==` and `hash` were inconsistent.
        var groups: [(key: Key, hash: Int, steps: [RuleStep])] = []
        var numbersByHash: [Int: [Int]] = [:]
        // No error is like a key that does not equal itself.
        for (key, step) in entries where key == key {
            let hash = key.hashValue
            if let known = numbersByHash[hash]?.first(where: { groups[$0].key == key }) {
                groups[known].steps.append(step)
            } else {
                numbersByHash[hash, default: []].append(groups.count)
                groups.append((key, hash, [step]))
            }
        }
        let steps = groups.map { RuleSteps.make(others($0.key) + $0.steps) }
        let table = groups.count > Self.fewKeys ? ProbeTable(room: groups.count) : nil
        count = groups.count
        unsafe keys = .allocate(capacity: count)
        unsafe lists = .allocate(capacity: count)
        for (place, group) in groups.enumerated() {
            unsafe (keys + place).initialize(to: group.key)
            unsafe (lists + place).initialize(to: steps[place].list)
            table?.insert(UInt(place + 1), for: UInt(bitPattern: group.hash))
        }
        self.table = table
        self.steps = steps
    }

    deinit {
        unsafe keys.deinitialize(count: count)
        unsafe keys.deallocate()
        unsafe lists.deallocate()
        table?.deallocate()
    }

    /// Returns the steps for a key; nil if no rule has it.
    final func find(_ key: Key) -> RuleStepList? {
        var place = 0
        if let table {
            let isWanted = { (place: UInt) in unsafe self.keys[Int(bitPattern: place) - 1] == key }
            place = Int(bitPattern: table.find(UInt(bitPattern: key.hashValue), where: isWanted)) - 1
            if place < 0 { return nil }
        } else {
            while unsafe place < count && keys[place] != key { place += 1 }
            if place == count { return nil }
        }
        return unsafe lists[place]
    }
}

/// The steps by an error's value.
final class ValueIndex<Value: Error & Hashable>: KeyIndex<Value>, @unchecked Sendable {
    override func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList? {
        guard let entry = PerThread.enterMatcher() else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        let value = unsafe BoxContent.content(content, as: Value.self)
        // An error that does not equal itself matches no value.
        return value == value ? find(value) : nil
    }
}

/// A domain, and a code unless the rule is for any.
struct DomainKey: Hashable {
    let domain: String
    let code: Int?

    /// A code is its own hash, since the table spreads those.
    var hashValue: Int { code ?? domain.hashValue }
    func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
}

/// The steps by what `as NSError` says of an error's domain and code.
final class DomainIndex: KeyIndex<DomainKey>, @unchecked Sendable {
    /// Whether the errors are `NSError` objects.
    private let isOfObjects: Bool

    /// - Parameters:
    ///   - entries: The rules in order, each with its domain and code.
    ///   - others: The steps for all errors of the type.
    ///   - isOfObjects: Whether the errors are `NSError` objects.
    init(_ entries: [Entry], among others: [RuleStep], isOfObjects: Bool) {
        self.isOfObjects = isOfObjects
        var anyCode: [String: [RuleStep]] = [:]
        for (key, step) in entries where key.code == nil { anyCode[key.domain, default: []].append(step) }
        super.init(entries) { key in
            key.code == nil || anyCode.isEmpty ? others : others + anyCode[key.domain, default: []]
        }
    }

    override func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: inout LazyReport
    ) -> RuleStepList? {
        if !isOfObjects { return report.ask(error) { steps(for: $0.nsError()) } }
        let error = unsafe BoxContent.content(content, as: NSError.self)
        // A subclass may override `domain` or `code` with user code, which may dispatch the error.
        if type(of: error) == NSError.self { return steps(for: error) }
        guard let entry = PerThread.enterMatcher() else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        return steps(for: error)
    }

    private func steps(for error: NSError) -> RuleStepList? {
        let domain = error.domain
        return find(DomainKey(domain: domain, code: error.code)) ?? find(DomainKey(domain: domain, code: nil))
    }
}
