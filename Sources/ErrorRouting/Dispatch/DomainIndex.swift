import Foundation

/// The rules for one `NSError` domain, by code.
final class DomainSteps: Sendable {
    let domain: String
    let hasAsynchronous: Bool
    /// The steps of the rules for every code, for codes that no rule names.
    private let anyCode: RuleSteps
    /// The address of each code's steps, by code; nil if no rule names a code.
    private let byCode: ProbeTable?
    /// Retains the steps whose addresses are in the table.
    private let lists: [RuleSteps]

    /// - Parameters:
    ///   - domain: The domain.
    ///   - rules: The rules in order, each of which requires the domain, with a code or without one.
    ///   - isOfObjects: Whether errors are `NSError` objects: then a rule that requires no more is certain to match.
    init(_ domain: String, _ rules: [DomainIndex.Entry], isOfObjects: Bool) {
        func steps(_ isIncluded: (Int?) -> Bool) -> RuleSteps {
            RuleSteps(
                rules.filter { isIncluded($0.code) }.map { entry in
                    (entry.rule, entry.order, isOfObjects && entry.rule.registration.shape.isPlain)
                })
        }
        self.domain = domain
        hasAsynchronous = rules.contains { $0.rule.isAsynchronous }
        anyCode = steps { $0 == nil }
        let codes = Set(rules.compactMap(\.code))
        let table = codes.isEmpty ? nil : ProbeTable(room: codes.count)
        var lists: [RuleSteps] = []
        for code in codes {
            // Includes the rules for every code, so that only one list is looked up.
            let list = steps { $0 == nil || $0 == code }
            let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(list).toOpaque())
            table?.insert(address, for: UInt(bitPattern: code))
            lists.append(list)
        }
        byCode = table
        self.lists = lists
    }

    deinit { byCode?.deallocate() }

    /// Returns the steps for an error of the domain; bridges the error only if a rule names a code.
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
/// A few domains are compared one by one; more are found by hash.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class DomainIndex: @unchecked Sendable {
    typealias Entry = (rule: Rule, order: Int, domain: String, code: Int?)

    /// The largest number of domains that are compared without a hash.
    private static let fewDomains = 4

    let hasAsynchronous: Bool
    private let owned: [DomainSteps]
    /// The same objects as in `owned`, which a look-up reads without retaining them.
    private let domains: UnsafeMutablePointer<Unmanaged<DomainSteps>>
    /// Each domain's place plus one, by the domain's hash; nil for a few domains.
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

    /// Returns the steps for an error's domain and code.
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
