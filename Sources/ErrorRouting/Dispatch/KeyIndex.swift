import Foundation

/// The steps for errors of one type, by what their rules compare: the error's value, or its domain and code.
///
/// Each list also contains the steps for all errors of the type, so that a dispatch reads only one list. The lists are
/// views of the memory that `memory` owns.
///
/// `@unchecked` because the compiler can't verify that the memory of the lists doesn't change.
@safe final class KeyIndex: @unchecked Sendable {
    /// A domain, and a code unless the rule matches every code of the domain.
    struct Domain: Hashable {
        let name: String
        let code: Int?
    }

    private let lists: [RuleStepList]
    private let memory: FixedArray<RuleStep>
    private let domains: KeyTable<Domain>?
    /// Whether names are hashed, which takes as long as all other parts of a lookup.
    private let hashesNames: Bool
    /// Returns the number of the list for an error's value.
    private let findValue: (@Sendable (UnboxedError) -> Int?)?

    /// Creates an index of steps by domain and code; every list also contains the other steps.
    ///
    /// For `NSError` objects, a rule's predicate only compares the key, so the rule is certain to match an error with
    /// that key.
    init(_ entries: [(key: Domain, step: RuleStep)], among others: [RuleStep], areObjects: Bool) {
        var (everyCode, groups): ([String: [RuleStep]], [[RuleStep]]) = ([:], [])
        for (key, step) in entries where key.code == nil { everyCode[key.name, default: []].append(step) }
        let names = Set(entries.lazy.map(\.key.name))
        let table = KeyTable<Domain>(room: entries.count)
        hashesNames = names.count > Self.fewNames
        for (key, step) in entries {
            let number = table.number(adding: key, hash: Self.hash(key, hashesNames))
            if number == groups.count {
                groups.append(key.code == nil ? others : others + everyCode[key.name, default: []])
            }
            groups[number].append(areObjects ? step.afterKeyComparison : step)
        }
        var memory = FixedArray<RuleStep>(capacity: groups.reduce(0) { $0 + $1.count })
        (lists, domains, findValue) = (groups.map { memory.append($0) }, table, nil)
        self.memory = memory
    }

    /// Creates an index by value; runs user code (`==` and `hash`).
    private init<Value: Error & Hashable>(
        _ type: Value.Type, _ entries: [(value: any Error, step: RuleStep)], among others: [RuleStep]
    ) {
        let table = KeyTable<Value>(room: entries.count)
        var groups: [[RuleStep]] = []
        for (value, step) in entries {
            // Skip a value that doesn't equal itself: it doesn't match any error.
            guard let value = value as? Value, value == value else { continue }
            let number = table.number(adding: value, hash: value.hashValue)
            if number == groups.count { groups.append(others) }
            groups[number].append(step.afterKeyComparison)
        }
        var memory = FixedArray<RuleStep>(capacity: groups.reduce(0) { $0 + $1.count })
        (lists, domains, hashesNames) = (groups.map { memory.append($0) }, nil, false)
        self.memory = memory
        findValue = { error in
            func find<Content: Error>(_ content: Content) -> Int? {
                // Compare the error with itself: if it doesn't equal itself, it must not match any value.
                error.read(content, as: Value.self) {
                    $0 == $0 ? table.number(of: $0, hash: $0.hashValue) : nil
                } ?? nil
            }
            return _openExistential(error.error, do: find)
        }
    }

    /// Returns an index by value, or nil if it can't be created.
    ///
    /// It can't be created if the type isn't `Hashable` on every actor, or if user code is nested too deeply: creating
    /// the index calls `==` and `hash`, which might dispatch errors of the type.
    static func make(
        of type: any Error.Type, _ entries: [(value: any Error, step: RuleStep)], among others: [RuleStep]
    ) -> KeyIndex? {
        // Cast the value, not only the type: if the `Hashable` conformance belongs to a global actor, `hash` must not
        // be called elsewhere, and only the cast of a `Sendable` value fails.
        guard let value = entries.first?.value as (any Sendable)?, value is any (Error & Hashable),
            let hashable = type as? any (Error & Hashable).Type
        else { return nil }
        func make<Value: Error & Hashable>(_ type: Value.Type) -> KeyIndex { KeyIndex(type, entries, among: others) }
        return PerThread.inUserCode { make(hashable) }
    }

    /// The maximum number of domains that are distinguished without hashing their names.
    private static let fewNames = 4

    /// Returns the hash of a domain; a code is its own hash, because the table spreads codes.
    @inline(__always)
    private static func hash(_ key: Domain, _ hashesNames: Bool) -> Int {
        (hashesNames ? key.name.hashValue : 0) ^ (key.code ?? .min)
    }

    /// Returns the steps for an error, or nil if its key has no rule; runs user code (`==`, `hash`, an error's code).
    @inline(__always)
    func lookUp<Content: Error>(
        _ content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) -> RuleStepList? {
        if let domains, Content.self == NSError.self, let list = findNSError(content, error, domains) { return list }
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        if let findValue { return findValue(error).map { lists[$0] } }
        // Read the domain as user code: a Swift error is bridged, and a subclass of `NSError` might override `domain`
        // or `code`.
        guard let domains else { return nil }
        return find(reporter.withSubject(of: error) { $0.nsError() }, domains)
    }

    /// Returns the steps for an instance of `NSError` itself, which doesn't run user code.
    @inline(__always)
    private func findNSError<Content: Error>(
        _ content: Content, _ error: UnboxedError, _ domains: KeyTable<Domain>
    ) -> RuleStepList? {
        let list = error.read(content, as: NSError.self) { error in
            type(of: error) == NSError.self ? find(error, domains) : nil
        }
        return list ?? nil
    }

    private func find(_ error: NSError, _ domains: KeyTable<Domain>) -> RuleStepList? {
        func number(_ key: Domain) -> Int? { domains.number(of: key, hash: Self.hash(key, hashesNames)) }
        let (name, code) = (error.domain, error.code)
        return (number(Domain(name: name, code: code)) ?? number(Domain(name: name, code: nil))).map { lists[$0] }
    }
}
