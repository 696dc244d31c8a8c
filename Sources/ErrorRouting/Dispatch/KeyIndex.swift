import Foundation

/// The steps for errors of one type, by what their rules compare: the error's value, or its domain and code.
///
/// Each list also contains the steps for all errors of the type, so that a dispatch reads only one list. The lists are
/// views of the memory that `memory` owns.
///
/// Unlike a dictionary, the index doesn't trap if the user's `==` and `hash` are inconsistent. The keys are in their
/// own memory, because the runtime would look up the type of a generic array on every call.
///
/// `@unchecked` because the index changes only while it is created.
final class KeyIndex<Key: Equatable>: @unchecked Sendable {
    private let keys: FixedArray<Key>
    private let lists: [RuleStepList]
    private let memory: FixedArray<RuleStep>
    /// Each key's number plus one, by the key's hash.
    private let table: ProbeTable
    /// Whether the names of domains are hashed, which takes as long as all other parts of a lookup.
    private let hashesNames: Bool

    /// Creates an index of steps from a function that calls a closure with each step, its key, and the key's hash.
    ///
    /// A key's list also contains the other steps for errors with that key. The function isn't an array: generic code
    /// would look up the array's type.
    @inline(__always)
    private init(
        room: Int, hashesNames: Bool = false, among others: @escaping (Key) -> [RuleStep],
        _ forEachStep: ((Key, Int, RuleStep) -> Void) -> Void
    ) {
        var keys = FixedArray<Key>(capacity: room)
        var groups: [[RuleStep]] = []
        let table = ProbeTable(room: room)
        forEachStep { key, hash, step in
            var number = table.find(UInt(bitPattern: hash)) { key == keys[Int(bitPattern: $0) - 1] }
            if number == 0 {
                keys.append(key)
                groups.append(others(key))
                number = UInt(keys.count)
                table.insert(number, for: UInt(bitPattern: hash))
            }
            groups[Int(number) - 1].append(step)
        }
        var memory = FixedArray<RuleStep>(capacity: groups.reduce(0) { $0 + $1.count })
        lists = groups.map { memory.append($0) }
        self.keys = keys
        self.table = table
        self.memory = memory
        self.hashesNames = hashesNames
    }

    deinit { table.deallocate() }

    /// Returns the number of a key's list; nil if the key is unknown.
    @inline(__always)
    private func number(of key: Key, hash: Int) -> Int? {
        // Put the wanted key first, like the error in a matcher's comparison: a user's `==` might not be symmetric.
        let found = table.find(UInt(bitPattern: hash)) { key == keys[Int(bitPattern: $0) - 1] }
        return found == 0 ? nil : Int(bitPattern: found) - 1
    }
}

extension KeyIndex where Key: Error & Hashable {
    /// Creates an index by value; runs user code (`==` and `hash`).
    convenience init(_ entries: [(value: any Error, step: RuleStep)], among others: [RuleStep]) {
        self.init(room: entries.count, among: { _ in others }) { add in
            for (value, step) in entries {
                // Skip a value that doesn't equal itself: it doesn't match any error.
                guard let value = value as? Key, value == value else { continue }
                add(value, value.hashValue, step.afterKeyComparison)
            }
        }
    }

    /// Returns the steps for an error, or nil if its value has no rule; runs user code (`==` and `hash`).
    @inline(__always)
    func steps(for error: UnboxedError) -> RuleStepList? {
        let found = error.read(as: Key.self) { error in
            // Compare the error with itself: if it doesn't equal itself, it must not match any value.
            error == error ? number(of: error, hash: error.hashValue) : nil
        }
        return (found ?? nil).map { lists[$0] }
    }
}

/// A domain, and a code unless a rule matches every code of the domain.
struct DomainKey: Equatable {
    let name: String
    let code: Int?

    /// Returns the key's hash; a code is its own hash, because the table spreads codes.
    @inline(__always)
    fileprivate func hash(_ hashesName: Bool) -> Int { (hashesName ? name.hashValue : 0) ^ (code ?? .min) }
}

extension KeyIndex<DomainKey> {
    /// The maximum number of domains that are distinguished without hashing their names.
    private static var fewNames: Int { 4 }

    /// Creates an index by domain and code.
    ///
    /// For `NSError` objects, a rule's predicate only compares the key, so the rule is certain to match an error with
    /// that key.
    convenience init(_ entries: [(key: DomainKey, step: RuleStep)], among others: [RuleStep], areObjects: Bool) {
        var everyCode: [String: [RuleStep]] = [:]
        for (key, step) in entries where key.code == nil { everyCode[key.name, default: []].append(step) }
        let hashesNames = Set(entries.lazy.map(\.key.name)).count > Self.fewNames
        let others = { (key: DomainKey) in key.code == nil ? others : others + everyCode[key.name, default: []] }
        self.init(room: entries.count, hashesNames: hashesNames, among: others) { add in
            for (key, step) in entries { add(key, key.hash(hashesNames), areObjects ? step.afterKeyComparison : step) }
        }
    }

    /// Returns the steps for an error, or nil if its domain and code have no rule.
    func steps(for error: NSError) -> RuleStepList? {
        func number(_ key: DomainKey) -> Int? { self.number(of: key, hash: key.hash(hashesNames)) }
        let (name, code) = (error.domain, error.code)
        return (number(DomainKey(name: name, code: code)) ?? number(DomainKey(name: name, code: nil))).map { lists[$0] }
    }
}
