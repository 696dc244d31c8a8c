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
    func lookUp<Content: Error>(
        _ content: Content, _ error: any Error, _ notes: inout DispatchNotes
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
@safe class KeyIndex<Key: Equatable>: StepIndex, @unchecked Sendable {
    typealias Entry = (key: Key, hash: Int, step: RuleStep)

    /// The largest number of keys that are compared without a hash.
    private static var fewKeys: Int { 4 }

    private let keys: UnsafeMutablePointer<Key>
    /// The number of keys, and each one's steps; they do not change after `init`.
    private var (count, lists): (Int, [RuleStepList]) = (0, [])
    /// Each key's place plus one, by the key's hash.
    private let table: ProbeTable
    /// Retains the steps that the lists refer to.
    private var memory: [RuleSteps] = []

    /// - Parameters:
    ///   - entries: The rules in order, each with its key.
    ///   - room: At least the number of entries.
    ///   - others: The steps for all errors with a key.
    init(_ entries: some Sequence<Entry>, room: Int, among others: (Key) -> [RuleStep]) {
        unsafe keys = .allocate(capacity: room)
        table = ProbeTable(room: room)
        super.init()
        // No dictionary of keys, which would trap if the user's `==` and `hash` were inconsistent.
        var groups: [[RuleStep]] = []
        // No error is like a key that does not equal itself.
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
    ///   - hash: The key's hash, as for the entries; called only if there are more than a few keys.
    @inline(__always)
    final func find(_ key: Key, _ hash: @autoclosure () -> Int) -> RuleStepList? {
        place(of: key, hash()).map { lists[$0] }
    }

    // The key that is wanted comes first, as the error does where a matcher is asked: a user's `==` may not be symmetric.
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
        // An error that does not equal itself matches no value.
        return value == value ? find(value, value.hashValue) : nil
    }
}

/// A domain, and a code unless the rule is for any.
struct DomainKey: Equatable {
    let domain: String
    let code: Int?
}

/// The steps by what `as NSError` says of an error's domain and code.
final class DomainIndex: KeyIndex<DomainKey>, @unchecked Sendable {
    typealias Condition = (key: DomainKey, step: RuleStep)

    /// The largest number of domains with one code that are told apart without the domain's hash.
    private static let fewDomains = 4

    /// Whether the errors are `NSError` objects.
    private let isOfObjects: Bool
    /// Whether so many domains have the same code that domains are hashed: hashing one takes as long as all the rest.
    private let hashesDomains: Bool

    /// - Parameters:
    ///   - conditions: The rules in order, each with its domain and code.
    ///   - others: The steps for all errors of the type.
    ///   - isOfObjects: Whether the errors are `NSError` objects.
    init(_ conditions: [Condition], among others: [RuleStep], isOfObjects: Bool) {
        var anyCode: [String: [RuleStep]] = [:]
        var domains: [String] = []
        // By their places: a loop would copy each tuple, with its step.
        for place in conditions.indices {
            let domain = conditions[place].key.domain
            if conditions[place].key.code == nil { anyCode[domain, default: []].append(conditions[place].step) }
            if domains.count <= Self.fewDomains, !domains.contains(domain) { domains.append(domain) }
        }
        // Most rules are for a few domains, and those are found without hashing anything.
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

    /// A code is its own hash, because the table spreads those.
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
        // A subclass may override `domain` or `code` with user code, which may dispatch the error.
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
