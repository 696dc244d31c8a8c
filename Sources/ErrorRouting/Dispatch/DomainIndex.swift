import Foundation

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
        for position in conditions.indices where conditions[position].key.code == nil {
            anyCode[conditions[position].key.domain, default: []].append(conditions[position].step)
        }
        // Neighbors usually have the same domain.
        for position in conditions.indices where domains.count <= Self.fewDomains {
            if position > 0, conditions[position].key.domain == conditions[position - 1].key.domain { continue }
            if !domains.contains(conditions[position].key.domain) { domains.append(conditions[position].key.domain) }
        }
        // Most rules are for a few domains, which are found without hashing.
        let hashesDomains = domains.count > Self.fewDomains && Self.haveManyDomainsForOneCode(conditions)
        self.isOfObjects = isOfObjects
        self.hashesDomains = hashesDomains
        super.init(
            conditions,
            among: { $0.code == nil || anyCode.isEmpty ? others : others + anyCode[$0.domain, default: []] }
        ) { (key: $0.key, hash: Self.hash($0.key, hashesDomains), step: $0.step) }
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
        _ content: Content, _ error: UnboxedError, _ notes: inout DispatchNotes
    ) -> RuleStepList? {
        if isOfObjects {
            let error = unsafe BoxContent.content(content, as: NSError.self)
            if type(of: error) == NSError.self { return lookUp(error) }
        }
        // A Swift error is bridged, and a subclass of `NSError` might override `domain` or `code`: both run user code.
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        return lookUp(notes.ask(error) { $0.nsError() })
    }

    private func lookUp(_ error: NSError) -> RuleStepList? {
        let domain = error.domain
        return find(DomainKey(domain: domain, code: error.code)) ?? find(DomainKey(domain: domain, code: nil))
    }

    @inline(__always)
    private func find(_ key: DomainKey) -> RuleStepList? { find(key, Self.hash(key, hashesDomains)) }
}
