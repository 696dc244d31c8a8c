import Foundation

/// Steps that depend on more than an error's type: on its value, or on its domain and code.
///
/// Each list also has the steps for all errors of the type, so that a dispatch reads only one list.
///
/// Unchecked because the compiler can't check a class with subclasses; all stored properties are constants.
class StepIndex: @unchecked Sendable {
    /// Returns the steps for an error, or nil if no rule has its key; runs user code (`==`, `hash`, an error's code).
    ///
    /// - Precondition: The error is of the index's type.
    func lookUp<Content: Error>(
        _ content: Content, _ error: any Error, _ notes: inout DispatchNotes
    ) -> RuleStepList? {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}

/// The steps by key; a few keys are compared one by one, and more are found by hash.
///
/// The keys are in their own memory, because the runtime would look up the type of a generic array or of an optional
/// key at every call.
///
/// Unchecked because the compiler can't verify that the memory doesn't change after `init`.
@safe class KeyIndex<Key: Equatable>: StepIndex, @unchecked Sendable {
    typealias Entry = (key: Key, hash: Int, step: RuleStep)

    /// The largest number of keys that are compared without a hash.
    private static var fewKeys: Int { 4 }

    private let keys: UnsafeMutablePointer<Key>
    /// The number of keys and each key's steps; they don't change after `init`.
    private var (count, lists): (Int, [RuleStepList]) = (0, [])
    /// Each key's position plus one, by the key's hash.
    private let table: ProbeTable
    /// The owners of the steps in the lists.
    private var memory: [RuleSteps] = []

    /// - Parameters:
    ///   - entries: The rules in order, each with its key.
    ///   - room: At least the number of entries.
    ///   - others: The steps for all errors with a key.
    init(_ entries: some Sequence<Entry>, room: Int, among others: (Key) -> [RuleStep]) {
        unsafe keys = .allocate(capacity: room)
        table = ProbeTable(room: room)
        super.init()
        // A dictionary of keys would trap if the user's `==` and `hash` were inconsistent.
        var groups: [[RuleStep]] = []
        // Skip a key that doesn't equal itself: no error matches it.
        for (key, hash, step) in entries where key == key {
            if let known = place(of: key, hash) {
                groups[known].append(step)
            } else {
                unsafe (keys + count).initialize(to: key)
                count += 1
                table.insert(UInt(count), for: UInt(bitPattern: hash))
                groups.append([step])
            }
        }
        memory = groups.indices.map { place in unsafe RuleSteps.make(others(keys[place]) + groups[place]) }
        lists = memory.map(\.list)
    }

    deinit {
        unsafe keys.deinitialize(count: count)
        unsafe keys.deallocate()
        table.deallocate()
    }

    /// Returns the steps for a key; nil if no rule has it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - hash: Returns the key's hash, as for the entries; called only if there are more than a few keys.
    @inline(__always)
    final func find(_ key: Key, _ hash: @autoclosure () -> Int) -> RuleStepList? {
        place(of: key, hash()).map { lists[$0] }
    }

    // Put the wanted key first, like the error in a matcher's comparison: a user's `==` might not be symmetric.
    @inline(__always)
    private final func place(of key: Key, _ hash: @autoclosure () -> Int) -> Int? {
        if count <= Self.fewKeys {
            var place = 0
            while unsafe place < count && key != keys[place] { place += 1 }
            return place == count ? nil : place
        }
        let isWanted = { (place: UInt) in unsafe key == self.keys[Int(bitPattern: place) - 1] }
        let found = table.find(UInt(bitPattern: hash()), where: isWanted)
        return found == 0 ? nil : Int(bitPattern: found) - 1
    }
}

/// The steps by an error's value.
final class ValueIndex<Value: Error & Hashable>: KeyIndex<Value>, @unchecked Sendable {
    override func lookUp<Content: Error>(
        _ content: Content, _ error: any Error, _ notes: inout DispatchNotes
    ) -> RuleStepList? {
        guard let entry = PerThread.enterMatcher() else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        let value = unsafe BoxContent.content(content, as: Value.self)
        // An error that doesn't equal itself matches no value.
        return value == value ? find(value, value.hashValue) : nil
    }
}

/// A domain, and a code unless the rule matches every code.
struct DomainKey: Equatable {
    let domain: String
    let code: Int?
}

/// The steps by an error's domain and code, as `as NSError` returns them.
final class DomainIndex: KeyIndex<DomainKey>, @unchecked Sendable {
    typealias Condition = (key: DomainKey, step: RuleStep)

    /// The largest number of domains with one code that are distinguished without the domain's hash.
    private static let fewDomains = 4

    /// Whether the errors are `NSError` objects.
    private let isOfObjects: Bool
    /// Whether so many domains have the same code that domains are hashed; hashing one takes as long as all the rest.
    private let hashesDomains: Bool

    /// - Parameters:
    ///   - conditions: The rules in order, each with its domain and code.
    ///   - others: The steps for all errors of the type.
    ///   - isOfObjects: Whether the errors are `NSError` objects.
    init(_ conditions: [Condition], among others: [RuleStep], isOfObjects: Bool) {
        var anyCode: [String: [RuleStep]] = [:]
        var domains: [String] = []
        // Use indices: a loop would copy each tuple with its step.
        for place in conditions.indices where conditions[place].key.code == nil {
            anyCode[conditions[place].key.domain, default: []].append(conditions[place].step)
        }
        // Neighbors usually have the same domain.
        for place in conditions.indices where domains.count <= Self.fewDomains {
            if place > 0, conditions[place].key.domain == conditions[place - 1].key.domain { continue }
            if !domains.contains(conditions[place].key.domain) { domains.append(conditions[place].key.domain) }
        }
        // Most rules are for a few domains, which are found without hashing.
        let hashesDomains = domains.count > Self.fewDomains && Self.haveManyDomainsForOneCode(conditions)
        self.isOfObjects = isOfObjects
        self.hashesDomains = hashesDomains
        let entries = conditions.lazy.map { (key: $0.key, hash: Self.hash($0.key, hashesDomains), step: $0.step) }
        super.init(entries, room: conditions.count) { key in
            key.code == nil || anyCode.isEmpty ? others : others + anyCode[key.domain, default: []]
        }
    }

    private static func haveManyDomainsForOneCode(_ conditions: [Condition]) -> Bool {
        var counts: [Int: Int] = [:]
        for (key, _) in conditions { if let code = key.code { counts[code, default: 0] += 1 } }
        return counts.values.contains { $0 > fewDomains }
    }

    /// A code is its own hash, because the table spreads codes.
    @inline(__always)
    private static func hash(_ key: DomainKey, _ hashesDomains: Bool) -> Int {
        guard let code = key.code else { return key.domain.hashValue }
        return hashesDomains ? code ^ key.domain.hashValue : code
    }

    override func lookUp<Content: Error>(
        _ content: Content, _ error: any Error, _ notes: inout DispatchNotes
    ) -> RuleStepList? {
        if !isOfObjects { return notes.ask(error) { lookUp($0.nsError()) } }
        let error = unsafe BoxContent.content(content, as: NSError.self)
        // A subclass might override `domain` or `code` with user code, which might dispatch the error.
        if type(of: error) == NSError.self { return lookUp(error) }
        guard let entry = PerThread.enterMatcher() else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        return lookUp(error)
    }

    private func lookUp(_ error: NSError) -> RuleStepList? {
        let domain = error.domain
        return find(DomainKey(domain: domain, code: error.code)) ?? find(DomainKey(domain: domain, code: nil))
    }

    @inline(__always)
    private func find(_ key: DomainKey) -> RuleStepList? { find(key, Self.hash(key, hashesDomains)) }
}
