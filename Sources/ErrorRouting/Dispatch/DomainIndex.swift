import Foundation

/// The rules for one `NSError` domain, by code.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class DomainSteps: @unchecked Sendable {
    private struct Slot {
        var code = 0
        /// Nil where the slot is free.
        var steps: RuleStepList?
    }

    /// What is left where a code has no rules of its own: those for every code.
    private let anyCode: RuleSteps
    private let owned: [RuleSteps]
    private let slots: UnsafeMutablePointer<Slot>
    private let mask: Int
    private let hasCodes: Bool
    let hasAsynchronous: Bool

    /// - Parameter rules: The rules in order, each of which requires the domain, and a code or none.
    init(_ rules: [(rule: Rule, order: Int, code: Int?)]) {
        func steps(_ isIncluded: (Int?) -> Bool) -> RuleSteps {
            RuleSteps(rules.filter { isIncluded($0.code) }.map { ($0.rule, $0.order, false) })
        }
        anyCode = steps { $0 == nil }
        var byCode: [Int: [(rule: Rule, order: Int, isCertain: Bool)]] = [:]
        for case (_, _, let code?) in rules { byCode[code] = [] }
        // Rules for every code go into each code's list, so that one list is all that is looked up.
        for entry in rules {
            if let code = entry.code {
                byCode[code]?.append((entry.rule, entry.order, false))
            } else {
                for code in byCode.keys { byCode[code]?.append((entry.rule, entry.order, false)) }
            }
        }
        var capacity = 2
        while capacity < byCode.count * 2 { capacity *= 2 }
        mask = capacity - 1
        unsafe slots = .allocate(capacity: capacity)
        unsafe slots.initialize(repeating: Slot(), count: capacity)
        var owned: [RuleSteps] = []
        for (code, group) in byCode {
            let list = RuleSteps(group)
            owned.append(list)
            var index = Self.hash(code) & mask
            while unsafe slots[index].steps != nil { index = (index + 1) & mask }
            unsafe slots[index] = Slot(code: code, steps: list.list)
        }
        self.owned = owned
        hasCodes = !byCode.isEmpty
        hasAsynchronous = rules.contains { $0.rule.isAsynchronous }
    }

    deinit { unsafe slots.deallocate() }

    /// The steps for an error of the domain, which is bridged only if a rule names a code.
    func steps(for subject: inout ErrorSubject) -> RuleStepList {
        hasCodes ? steps(code: subject.nsError().code) : anyCode.list
    }

    func steps(code: Int) -> RuleStepList {
        var index = Self.hash(code) & mask
        while let steps = unsafe slots[index].steps {
            if unsafe slots[index].code == code { return steps }
            index = (index + 1) & mask
        }
        return anyCode.list
    }

    /// Codes often follow each other, or differ by powers of ten: multiplied by the golden ratio they spread.
    private static func hash(_ code: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: Int64(code)) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

/// The rules that require an `NSError` domain, by domain.
///
/// Unchecked, since the compiler cannot know that the memory does not change after `init`.
@safe final class DomainIndex: @unchecked Sendable {
    @safe private struct Slot {
        var domain: String
        var hash = 0
        /// Nil where the slot is free.
        var steps: Unmanaged<DomainSteps>?
    }

    private let owned: [String: DomainSteps]
    private let slots: UnsafeMutablePointer<Slot>
    private let mask: Int
    let hasAsynchronous: Bool

    /// - Parameter rules: The rules in order, each of which requires a domain.
    init(_ rules: [(rule: Rule, order: Int, domain: String, code: Int?)]) {
        owned = Dictionary(grouping: rules, by: \.domain).mapValues { group in
            DomainSteps(group.map { ($0.rule, $0.order, $0.code) })
        }
        var capacity = 2
        while capacity < owned.count * 2 { capacity *= 2 }
        mask = capacity - 1
        unsafe slots = .allocate(capacity: capacity)
        unsafe slots.initialize(repeating: Slot(domain: ""), count: capacity)
        for (domain, steps) in owned {
            let hash = domain.hashValue
            var index = hash & mask
            while unsafe slots[index].steps != nil { index = (index + 1) & mask }
            unsafe slots[index] = Slot(domain: domain, hash: hash, steps: Unmanaged.passUnretained(steps))
        }
        hasAsynchronous = owned.values.contains(where: \.hasAsynchronous)
    }

    deinit {
        unsafe slots.deinitialize(count: mask + 1)
        unsafe slots.deallocate()
    }

    /// The rules for one domain, if there are any.
    subscript(domain: String) -> DomainSteps? { owned[domain] }

    func steps(domain: String, code: Int) -> RuleStepList {
        let hash = domain.hashValue
        var index = hash & mask
        while let steps = unsafe slots[index].steps {
            if unsafe slots[index].hash == hash, unsafe slots[index].domain == domain {
                return unsafe steps._withUnsafeGuaranteedRef { $0.steps(code: code) }
            }
            index = (index + 1) & mask
        }
        return .none
    }
}
