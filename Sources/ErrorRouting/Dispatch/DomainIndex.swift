import Foundation

/// The rules for one `NSError` domain, by code.
final class DomainSteps: Sendable {
    let domain: String
    let hasAsynchronous: Bool
    /// What is left where a code has no rules of its own: those for every code.
    private let anyCode: RuleSteps
    /// The lists of steps of a code, by it; nil where no rule names one.
    private let byCode: ProbeTable?
    /// Holds what is in the table.
    private let lists: [RuleSteps]

    /// - Parameters:
    ///   - domain: The domain.
    ///   - rules: The rules in order, each of which requires the domain, and a code or none.
    ///   - isOfObjects: Whether errors are `NSError` objects: then a rule that asks for no more matches for certain.
    init(_ domain: String, _ rules: [DomainIndex.Entry], isOfObjects: Bool) {
        func steps(_ isIncluded: (Int?) -> Bool) -> RuleSteps {
            RuleSteps(
                rules.filter { isIncluded($0.code) }.map { entry in
                    (entry.rule, entry.order, isOfObjects && entry.rule.shape.isPlainDomain)
                })
        }
        self.domain = domain
        hasAsynchronous = rules.contains { $0.rule.isAsynchronous }
        anyCode = steps { $0 == nil }
        let codes = Set(rules.compactMap(\.code))
        let table = codes.isEmpty ? nil : ProbeTable(room: codes.count)
        var lists: [RuleSteps] = []
        for code in codes {
            // With those for every code, so that one list is all that is looked up.
            let list = steps { $0 == nil || $0 == code }
            let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(list).toOpaque())
            table?.insert(address, for: UInt(bitPattern: code))
            lists.append(list)
        }
        byCode = table
        self.lists = lists
    }

    deinit { byCode?.deallocate() }

    /// The steps for an error of the domain, which is bridged only if a rule names a code.
    func steps(for subject: inout ErrorSubject) -> RuleStepList {
        byCode == nil ? anyCode.list : steps(code: subject.nsError().code)
    }

    func steps(code: Int) -> RuleStepList {
        let found = byCode?.find(UInt(bitPattern: code)) ?? 0
        guard let steps = unsafe UnsafeRawPointer(bitPattern: found) else { return anyCode.list }
        return unsafe Unmanaged<RuleSteps>.fromOpaque(steps)._withUnsafeGuaranteedRef { $0.list }
    }
}

/// The rules that require an `NSError` domain, by domain.
///
/// A few domains are compared one by one, more of them are found by their hash.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class DomainIndex: @unchecked Sendable {
    typealias Entry = (rule: Rule, order: Int, domain: String, code: Int?)

    /// How many domains are compared at most without asking for a hash.
    private static let fewDomains = 4

    let hasAsynchronous: Bool
    private let owned: [DomainSteps]
    /// The same, not retained for a look-up.
    private let domains: UnsafeMutablePointer<Unmanaged<DomainSteps>>
    /// The places of the domains plus one, by hash; nil for a few.
    private let table: ProbeTable?

    /// - Parameter rules: The rules in order, each of which requires a domain.
    init(_ rules: [Entry]) {
        owned = Dictionary(grouping: rules, by: \.domain).map { DomainSteps($0, $1, isOfObjects: true) }
        unsafe domains = .allocate(capacity: owned.count)
        table = owned.count > Self.fewDomains ? ProbeTable(room: owned.count) : nil
        for (place, domain) in owned.enumerated() {
            unsafe (domains + place).initialize(to: Unmanaged.passUnretained(domain))
            table?.insert(UInt(place + 1), for: UInt(bitPattern: domain.domain.hashValue))
        }
        hasAsynchronous = owned.contains(where: \.hasAsynchronous)
    }

    deinit {
        unsafe domains.deallocate()
        table?.deallocate()
    }

    /// The steps for an error's domain and code.
    func steps(domain: String, code: Int) -> RuleStepList {
        func isWanted(_ place: Int) -> Bool {
            unsafe domains[place]._withUnsafeGuaranteedRef { $0.domain == domain }
        }
        var place = 0
        if let table {
            let key = UInt(bitPattern: domain.hashValue)
            place = Int(bitPattern: table.find(key) { isWanted(Int(bitPattern: $0) - 1) }) - 1
            if place < 0 { return .none }
        } else {
            while place < owned.count, !isWanted(place) { place += 1 }
            if place == owned.count { return .none }
        }
        return unsafe domains[place]._withUnsafeGuaranteedRef { $0.steps(code: code) }
    }
}
