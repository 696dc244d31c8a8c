import Foundation

/// The rules of a program by what they require of an error, and the plans made from them so far, one for each type.
///
/// Retains no rules, or a set that is used twice would never be deallocated: the last of its rules retains this, by way
/// of the program.
///
/// Unchecked for the unretained references; all stored properties are constants.
@safe final class RuleIndex: @unchecked Sendable {
    /// The rules in the order in which they are tried, in the program's memory.
    private let rules: UnsafePointer<RuleStep>
    /// The places of the rules that are not looked up.
    private let plainRules: [Int]
    /// The rules that require a value, by the value's type.
    private let valueRules: [ObjectIdentifier: [RuleStep]]
    /// The rules that require a domain.
    private let domainRules: [DomainIndex.Entry]
    /// The index for `NSError` objects; nil if no rule is looked up by domain.
    private let domains: DomainIndex?
    /// Whether the match of any rule depends on an error's domain.
    private let asksDomain: Bool
    private let hasAsynchronousFallback: Bool
    private let plans = PlanTable()

    init(of program: DispatchProgram) {
        var plainRules: [Int] = []
        var valueRules: [ObjectIdentifier: [RuleStep]] = [:]
        var domainRules: [DomainIndex.Entry] = []
        var asksDomain = false
        var steps = program.rules
        while !steps.isEmpty {
            let step = unsafe steps.next.pointee
            let shape = step.shape
            // `NSError`s are compared one by one: on Linux their hash traps if the user info holds Swift errors.
            if let value = shape.requiredValue, !(type(of: value) is NSError.Type) {
                valueRules[ObjectIdentifier(type(of: value)), default: []].append(step)
            } else if let required = shape.requiredDomain {
                domainRules.append((step, required.domain, required.code))
            } else {
                plainRules.append(step.order)
            }
            asksDomain = asksDomain || shape.asksDomain
            unsafe steps.next += 1
        }
        unsafe rules = unsafe program.rules.next
        self.plainRules = plainRules
        self.valueRules = valueRules
        self.domainRules = domainRules
        self.asksDomain = asksDomain
        domains = domainRules.isEmpty ? nil : DomainIndex(domainRules)
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
        return unsafe plans.insert(makePlan(for: ErrorSubject(error)), for: type)
    }

    /// Makes the plan for an error's type.
    ///
    /// Apart from its type, the error is asked only for what all errors of the type have in common: conformances, and a
    /// Swift type's domain.
    private func makePlan(for subject: ErrorSubject) -> TypePlan {
        var (subject, orders, lookUp) = (subject, plainRules, nil as StepIndex?)
        // An `NSError` object has a domain of its own. Another has none if matchers recurse too deep to bridge it.
        let domain = asksDomain && !subject.isNSErrorObject ? subject.bridgedIfAllowed()?.domain : nil
        if subject.isNSErrorObject {
            lookUp = domains
        } else {
            if let steps = valueRules[ObjectIdentifier(subject.type)] {
                lookUp = makeValueIndex(type(of: subject.error), steps)
                if lookUp == nil { orders += steps.map(\.order) }
            }
            let entries = domainRules.filter { domain == nil || $0.domain == domain }
            if domain != nil, lookUp == nil, !entries.isEmpty {
                lookUp = CodeIndex(entries, isOfObjects: false)
            } else {
                orders += entries.map(\.step.order)
            }
        }
        let steps = orders.sorted().compactMap { unsafe rules[$0].judged(for: subject, domain: domain) }
        return TypePlan(RuleSteps(steps), lookUp, of: subject.type, hasAsynchronousFallback: hasAsynchronousFallback)
    }
}

/// Steps that depend on more than an error's type: on its value, or on its code or domain.
///
/// Unchecked, since the compiler cannot check a class that has subclasses; all stored properties are constants.
class StepIndex: @unchecked Sendable {
    let hasAsynchronous: Bool

    init(hasAsynchronous: Bool) { self.hasAsynchronous = hasAsynchronous }

    /// Returns the steps for an error in order; runs user code (`==`, `hash`, an error's code).
    ///
    /// - Precondition: The error is of the type that the index is for.
    func steps<Content: Error>(
        for content: Content, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) -> RuleStepList {
        fatalError("\(type(of: self)) does not override \(#function)")
    }
}
