import Foundation

/// A rule set compiled for dispatch: the rules in order, their indexes, and the plans made so far.
final class DispatchProgram: Sendable {
    static let empty = DispatchProgram(rules: [], onNoMatch: [], always: [])

    /// The rules in the order in which they are tried.
    let rules: [Rule]
    let onNoMatch: RuleSteps
    let always: RuleSteps
    /// Whether there are `always` rules, and whether there are those or `onNoMatch` rules.
    private let hasAlways: Bool
    private let hasFallbacks: Bool
    /// Whether rules are looked up by value and domain: that pays from the second error on.
    var isIndexed: Bool { predecessor != nil }

    /// The places of the rules that no index holds.
    private let plainRules: [Int]
    /// The places of the rules that require a value, by the value's type.
    private let valueRules: [ObjectIdentifier: [Int]]
    private let domainRules: [DomainIndex.Entry]
    /// The index for `NSError` objects; nil if no rule is looked up by domain.
    private let domains: DomainIndex?
    /// Whether the match of any rule depends on an error's domain.
    private let asksDomain: Bool
    private let plans = PlanTable()
    /// The program of the first use, retained since dispatches may still read it.
    private let predecessor: DispatchProgram?

    /// - Parameters:
    ///   - rules: The rules in the order in which they are tried, as are the other two lists.
    ///   - onNoMatch: The rules that are tried if none of `rules` matches.
    ///   - always: The rules that are tried last.
    ///   - predecessor: The program of the first use; nil for that program itself, which has no indexes.
    init(rules: [Rule], onNoMatch: [Rule], always: [Rule], after predecessor: DispatchProgram? = nil) {
        self.rules = rules
        self.onNoMatch = RuleSteps(fallbacks: onNoMatch)
        self.always = RuleSteps(fallbacks: always)
        self.predecessor = predecessor
        let isIndexed = predecessor != nil
        hasAlways = !always.isEmpty
        hasFallbacks = hasAlways || !onNoMatch.isEmpty
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

    /// Whether other rules are tried once those for errors are over.
    ///
    /// - Parameter hasMatch: Whether one of those has matched.
    func hasFallbacks(after hasMatch: Bool) -> Bool { hasMatch ? hasAlways : hasFallbacks }

    /// Returns the plan for an error's dynamic type.
    ///
    /// - Parameters:
    ///   - content: The content of the error's box.
    ///   - error: The error.
    /// - Returns: The plan; nil if the box holds another box.
    @inline(__always)
    func plan<Content: Error>(for content: Content, _ error: any Error) -> Unmanaged<TypePlan>? {
        guard let plan = unsafe plans[Content.self] else { return unsafe planByDynamicType(of: error) }
        return unsafe plan._withUnsafeGuaranteedRef({ $0.isOfClass }) ? planOfObject(content, error, plan) : plan
    }

    /// Returns the plan for an object, whose class may be a subclass of the content's static type.
    @inline(never)
    private func planOfObject<Content: Error>(
        _ content: Content, _ error: any Error, _ plan: Unmanaged<TypePlan>
    ) -> Unmanaged<TypePlan>? {
        let type: AnyClass = Swift.type(of: unsafe unsafeBitCast(content, to: AnyObject.self))
        return unsafe type == Content.self ? plan : planByDynamicType(of: error)
    }

    /// Returns the plan for an error whose type has none yet or is a subclass of its content's static type.
    ///
    /// - Returns: The plan; nil if the box holds another box.
    @inline(never)
    private func planByDynamicType(of error: any Error) -> Unmanaged<TypePlan>? {
        if ErrorBox.holdsBox(error) { return nil }
        let type = type(of: error)
        if let plan = unsafe plans[type] { return unsafe plan }
        // Made outside the table's lock, since that runs user code; of two made at once, the table keeps the first.
        return unsafe plans.insert(makePlan(for: error), for: type)
    }

    private func makePlan(for error: any Error) -> TypePlan {
        let example = TypeExample(error, needsDomain: asksDomain)
        var fixed = plainRules
        var values: ValueIndex?
        if let orders = valueRules[ObjectIdentifier(example.type)] {
            // Making the index runs user code (`==`, `hash`), which may dispatch errors of the type, and so recurse.
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
            // Matchers recurse too deep here to bridge the error, so each error of the type is asked for its domain.
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
