import Foundation

/// A rule set made ready for dispatch: the rules in order, what can be looked up of them, and the plans made so far.
final class DispatchProgram: Sendable {
    static let empty = DispatchProgram(rules: [], onNoMatch: [], always: [])

    /// The rules in the order in which they are tried.
    let rules: [Rule]
    let onNoMatch: RuleSteps
    let always: RuleSteps
    /// Whether any `onNoMatch` or `always` is asynchronous.
    let hasAsynchronousFallback: Bool

    /// The places of the rules that are in no index.
    private let plainRules: [Int]
    /// The places of the rules that require a value, by its type.
    private let valueRules: [ObjectIdentifier: [Int]]
    private let domains: DomainIndex?
    /// Whether any rule asks for an error's domain.
    private let asksDomain: Bool
    private let plans = PlanTable()

    /// - Parameters:
    ///   - rules: The rules in the order in which they are tried; so the other two.
    ///   - onNoMatch: What runs if none matches.
    ///   - always: What runs last.
    init(rules: [Rule], onNoMatch: [Rule], always: [Rule]) {
        self.rules = rules
        self.onNoMatch = RuleSteps(onNoMatch.enumerated().map { ($0.element, $0.offset, true) })
        self.always = RuleSteps(always.enumerated().map { ($0.element, $0.offset, true) })
        hasAsynchronousFallback = self.onNoMatch.hasAsynchronous || self.always.hasAsynchronous
        var plainRules: [Int] = []
        var valueRules: [ObjectIdentifier: [Int]] = [:]
        var domainRules: [(rule: Rule, order: Int, domain: String, code: Int?)] = []
        for (order, rule) in rules.enumerated() {
            if let value = rule.shape.requiredValue, !(type(of: value) is NSError.Type) {
                valueRules[ObjectIdentifier(type(of: value)), default: []].append(order)
            } else if let required = rule.shape.requiredDomain {
                domainRules.append((rule, order, required.domain, required.code))
            } else {
                plainRules.append(order)
            }
        }
        asksDomain = rules.contains { $0.shape.asksDomain }
        self.plainRules = plainRules
        self.valueRules = valueRules
        domains = domainRules.isEmpty ? nil : DomainIndex(domainRules)
    }

    /// What to do with errors of a dynamic type, if one of them was seen before.
    @inline(__always)
    func knownPlan(for type: Any.Type) -> Unmanaged<TypePlan>? { unsafe plans.plan(for: type) }

    /// What to do with errors of the dynamic type of one.
    @inline(never)
    func newPlan(for error: any Error) -> Unmanaged<TypePlan> {
        // Made outside the table's lock, since it asks the error; of two that are made at once the first counts.
        unsafe plans.insert(makePlan(for: error), for: type(of: error))
    }

    private func makePlan(for error: any Error) -> TypePlan {
        let example = TypeExample(error, needsDomain: asksDomain)
        var fixed = plainRules
        var values: ValueIndex?
        if let orders = valueRules[ObjectIdentifier(example.type)] {
            // It hashes and compares values, which may dispatch errors of the type, for which a plan is made again.
            if let entry = PerThread.enterMatcher() {
                defer { PerThread.leaveMatcher(entry) }
                values = makeValueIndex(example.type, orders.map { (rules[$0], $0) })
            }
            if values == nil { fixed = (fixed + orders).sorted() }
        }
        return TypePlan(
            fixed: RuleSteps(
                fixed.compactMap { order in
                    switch rules[order].shape.verdict(for: example) {
                    case .never: nil
                    case .maybe: (rules[order], order, false)
                    case .always(let isCertain): (rules[order], order, isCertain)
                    }
                }
            ),
            values: values,
            domain: example.domain.flatMap { domains?[$0] },
            // Where the type's domain is not known, each error is looked up by its own.
            domains: example.domain == nil ? domains : nil
        )
    }
}
