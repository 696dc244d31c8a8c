import Foundation

/// The rules of a program by what they require of an error, and the plans made from them so far, one for each type.
///
/// Retains no rules: the last of them retains this, as a node of its set.
///
/// Unchecked for the unretained references; all stored properties are constants.
@safe final class RuleIndex: @unchecked Sendable {
    /// The rules in the order in which they are tried.
    private let rules: [Unmanaged<Rule>]
    /// The places of the rules that are not looked up.
    private let plainRules: [Int]
    /// The places of the rules that require a value, by the value's type.
    private let valueRules: [ObjectIdentifier: [Int]]
    private let domainRules: [(order: Int, domain: String, code: Int?)]
    /// The index for `NSError` objects; nil if no rule is looked up by domain.
    private let domains: DomainIndex?
    /// Whether the match of any rule depends on an error's domain.
    private let asksDomain: Bool
    private let hasAsynchronousFallback: Bool
    private let plans = PlanTable()

    init(of program: DispatchProgram) {
        var rules: [Unmanaged<Rule>] = unsafe []
        var plainRules: [Int] = []
        var valueRules: [ObjectIdentifier: [Int]] = [:]
        var domainRules: [(order: Int, domain: String, code: Int?)] = []
        var asksDomain = false
        var steps = program.rules.list
        while !steps.isEmpty {
            let rule = unsafe steps.next.pointee.rule
            let shape = unsafe rule.takeUnretainedValue().registration.shape
            let order = unsafe rules.count
            if let value = shape.requiredValue, !(type(of: value) is NSError.Type) {
                valueRules[ObjectIdentifier(type(of: value)), default: []].append(order)
            } else if let required = shape.requiredDomain {
                domainRules.append((order, required.domain, required.code))
            } else {
                plainRules.append(order)
            }
            asksDomain = asksDomain || shape.asksDomain
            unsafe rules.append(rule)
            steps.removeFirst()
        }
        unsafe self.rules = unsafe rules
        self.plainRules = plainRules
        self.valueRules = valueRules
        self.domainRules = domainRules
        self.asksDomain = asksDomain
        let entries = domainRules.map { entry in
            unsafe (
                rule: rules[entry.order].takeUnretainedValue(), order: entry.order, domain: entry.domain,
                code: entry.code
            )
        }
        domains = entries.isEmpty ? nil : DomainIndex(entries)
        hasAsynchronousFallback = program.hasAsynchronousFallback
    }

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

    /// Returns a cursor over the steps for an error, without those by the domain of a Swift type, and those.
    ///
    /// - Precondition: There is no box in the error's box.
    func steps(for error: any Error) -> (RuleStepCursor, domain: Unmanaged<DomainSteps>?) {
        func look<Content: Error>(_ content: Content) -> (RuleStepCursor, domain: Unmanaged<DomainSteps>?) {
            guard let plan = unsafe plan(for: content, error) else { preconditionFailure("there is a box in the box") }
            return unsafe (RuleStepCursor(plan, for: content), plan._withUnsafeGuaranteedRef { unsafe $0.domain })
        }
        return unsafe _openExistential(error, do: look)
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

    private func rule(at order: Int) -> Rule { unsafe rules[order].takeUnretainedValue() }

    private func makePlan(for error: any Error) -> TypePlan {
        let example = TypeExample(error, needsDomain: asksDomain)
        var fixed = plainRules
        var values: ValueIndex?
        if let orders = valueRules[ObjectIdentifier(example.type)] {
            // Making the index runs user code (`==`, `hash`), which may dispatch errors of the type, and so recurse.
            if let entry = PerThread.enterMatcher() {
                defer { PerThread.leaveMatcher(entry) }
                values = makeValueIndex(example.type, orders.map { (rule(at: $0), $0) })
            }
            if values == nil { fixed += orders }
        }
        var domain: DomainSteps?
        if let known = example.domain {
            let entries = domainRules.filter { $0.domain == known }
                .map { (rule: rule(at: $0.order), order: $0.order, domain: $0.domain, code: $0.code) }
            if !entries.isEmpty { domain = DomainSteps(known, entries, isOfObjects: false) }
        } else if !example.isNSErrorObject {
            // Matchers recurse too deep here to bridge the error, so each error of the type is asked for its domain.
            fixed += domainRules.map(\.order)
        }
        let steps = fixed.sorted().compactMap { order -> (rule: Rule, order: Int, isCertain: Bool)? in
            switch rule(at: order).registration.shape.verdict(for: example) {
            case .never: nil
            case .maybe: (rule(at: order), order, false)
            case .always(let isCertain): (rule(at: order), order, isCertain)
            }
        }
        return TypePlan(
            fixed: RuleSteps(steps), values: values, domain: domain,
            domains: example.isNSErrorObject ? domains : nil, of: example.type,
            hasAsynchronousFallback: hasAsynchronousFallback)
    }
}
