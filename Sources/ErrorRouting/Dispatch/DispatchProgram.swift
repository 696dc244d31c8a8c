import Foundation

/// A rule set made ready for dispatch: the rules in order, what can be looked up of them, and the plans made so far.
final class DispatchProgram: Sendable {
    static let empty = DispatchProgram(rules: [], onNoMatch: [], always: [])

    /// The rules in the order in which they are tried.
    let rules: [Rule]
    let onNoMatch: RuleSteps
    let always: RuleSteps
    /// Whether there is anything beside the rules.
    let hasFallbacks: Bool
    /// Whether rules are looked up by values and domains.
    let isIndexed: Bool

    /// The places of the rules that are in no index.
    private let plainRules: [Int]
    /// The places of the rules that require a value, by its type.
    private let valueRules: [ObjectIdentifier: [Int]]
    private let domainRules: [DomainIndex.Entry]
    /// The domains of `NSError` objects.
    private let domains: DomainIndex?
    /// Whether any rule asks for an error's domain.
    private let asksDomain: Bool
    private let plans = PlanTable()
    /// The one that was in use before; dispatches may still be on their way through it.
    private let predecessor: DispatchProgram?

    /// - Parameters:
    ///   - rules: The rules in the order in which they are tried; so the other two.
    ///   - onNoMatch: What runs if none matches.
    ///   - always: What runs last.
    ///   - predecessor: The one that was in use before, and is to be kept.
    ///   - isIndexed: Whether rules are looked up by values and domains: that pays from the second error on.
    init(
        rules: [Rule], onNoMatch: [Rule], always: [Rule], after predecessor: DispatchProgram? = nil,
        isIndexed: Bool = true
    ) {
        self.rules = rules
        self.onNoMatch = RuleSteps(fallbacks: onNoMatch)
        self.always = RuleSteps(fallbacks: always)
        self.predecessor = predecessor
        self.isIndexed = isIndexed
        hasFallbacks = !onNoMatch.isEmpty || !always.isEmpty
        var plainRules: [Int] = []
        var valueRules: [ObjectIdentifier: [Int]] = [:]
        var domainRules: [DomainIndex.Entry] = []
        for (order, rule) in rules.enumerated() {
            if isIndexed, let value = rule.shape.requiredValue, !(type(of: value) is NSError.Type) {
                valueRules[ObjectIdentifier(type(of: value)), default: []].append(order)
            } else if isIndexed, let required = rule.shape.requiredDomain {
                domainRules.append((rule, order, required.domain, required.code))
            } else {
                plainRules.append(order)
            }
        }
        asksDomain = isIndexed && rules.contains { $0.shape.asksDomain }
        self.plainRules = plainRules
        self.valueRules = valueRules
        self.domainRules = domainRules
        domains = domainRules.isEmpty ? nil : DomainIndex(domainRules)
    }

    /// What to do with an error.
    ///
    /// - Parameters:
    ///   - content: What is in its box.
    ///   - error: The error.
    /// - Returns: The plan for its dynamic type; nil where there is another box in this one.
    @inline(__always)
    func plan<Content: Error>(for content: Content, _ error: any Error) -> Unmanaged<TypePlan>? {
        guard let plan = unsafe plans[Content.self] else { return unsafe planByDynamicType(of: error) }
        return unsafe plan._withUnsafeGuaranteedRef({ $0.isOfClass }) ? planOfObject(content, error, plan) : plan
    }

    /// What to do with an object, which may be of a class that inherits from the box's.
    @inline(never)
    private func planOfObject<Content: Error>(
        _ content: Content, _ error: any Error, _ plan: Unmanaged<TypePlan>
    ) -> Unmanaged<TypePlan>? {
        let type: AnyClass = Swift.type(of: unsafe unsafeBitCast(content, to: AnyObject.self))
        return unsafe type == Content.self ? plan : planByDynamicType(of: error)
    }

    /// What to do with an error whose type is new, or not that of its box, or with what is in another box.
    @inline(never)
    private func planByDynamicType(of error: any Error) -> Unmanaged<TypePlan>? {
        if ErrorBox.holdsBox(error) { return nil }
        let type = type(of: error)
        if let plan = unsafe plans[type] { return unsafe plan }
        // Made outside the table's lock, since it asks the error; of two that are made at once the first counts.
        return unsafe plans.insert(makePlan(for: error), for: type)
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
            if values == nil { fixed += orders }
        }
        var domain: DomainSteps?
        if let known = example.domain {
            let entries = domainRules.filter { $0.domain == known }
            if !entries.isEmpty { domain = DomainSteps(known, entries, isOfObjects: false) }
        } else if !example.isNSErrorObject {
            // It must not be asked here and now, so each error is asked for its own.
            fixed += domainRules.map(\.order)
        }
        return TypePlan(
            fixed: RuleSteps(
                fixed.sorted().compactMap { order in
                    switch rules[order].shape.verdict(for: example) {
                    case .never: nil
                    case .maybe: (rules[order], order, false)
                    case .always(let isCertain): (rules[order], order, isCertain)
                    }
                }
            ),
            values: values,
            domain: domain,
            domains: example.isNSErrorObject ? domains : nil,
            of: example.type,
            hasAsynchronousFallback: onNoMatch.hasAsynchronous || always.hasAsynchronous
        )
    }
}
