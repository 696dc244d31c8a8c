import Foundation

/// The steps to try for errors of one dynamic type and the index for others, created for the first error of the type.
///
/// Unchecked because the compiler can't verify that the memory of the steps doesn't change.
@safe final class TypePlan: @unchecked Sendable {
    /// The facts about a list of rules that depend only on an error's type.
    struct Reach {
        /// Whether an error of the type might match an asynchronous rule, reached or not.
        var mayBeAsynchronous = false
        /// Whether some rule matches every error of the type, regardless of the error's domain.
        var alwaysMatches = false
    }

    /// The steps for errors without steps in the index, from rules that match by type alone or must call their
    /// matchers.
    ///
    /// This property and the next one are read without retaining their owners, which `kept` retains.
    private let others: RuleStepList
    /// The index of the steps for an error; nil if the steps are the same for all errors of the type.
    private let index: Borrowed<StepIndex>?
    private let kept: (others: RuleSteps, index: StepIndex?)
    /// Whether the type is a class; if so, a content of that static type might be an object of a subclass.
    let isOfClass: Bool
    let reach: Reach

    /// Compares the rules with the type of an error; reads only properties that all errors of the type share, which are
    /// conformances and a Swift type's domain.
    ///
    /// - Parameters:
    ///   - rules: The rules in order.
    ///   - error: An error of the type.
    init(of rules: RuleStepList, for error: UnboxedError) {
        let type = type(of: error.error)
        let isOfObjects = type is NSError.Type
        var errors = ErrorOfType(ErrorSubject(error), asksDomain: !isOfObjects)
        var (reach, others) = (Reach(), [RuleStep]())
        var (values, domains): ([ValueEntry], [DomainIndex.Condition]) = ([], [])
        for step in rules where step.isFor(type) {
            let shape = step.shape
            let likelihood = step.certainty == .certain ? .certain : shape.likelihood(for: &errors)
            if likelihood == .never { continue }
            if step.traits.isAsynchronous { reach.mayBeAsynchronous = true }
            if likelihood >= .always, likelihood == .certain || errors.alwaysMatch(shape) { reach.alwaysMatches = true }
            let key = shape.key
            switch key?.shape {
            // Compare `NSError`s one by one: on Linux their hash traps if the user info holds Swift errors.
            case .value(let value) where !(Swift.type(of: value) is NSError.Type):
                values.append((value, step, key?.isAll == true))
            // Bridging an error only for its domain is wasted work: its type determines the domain.
            case .nsError(let domain, let code) where code != nil || isOfObjects:
                let step = step.judged(isCertain: isOfObjects && key?.isAll == true)
                domains.append((DomainKey(domain: domain, code: code), step))
            default: others.append(step.judged(isCertain: likelihood == .certain))
            }
        }
        var index: StepIndex?
        if !values.isEmpty {
            index = Self.makeIndex(of: type, values, among: others + domains.map(\.step))
            others += index == nil ? values.map { $0.step.judged(isCertain: false) } : domains.map(\.step)
        }
        if index == nil, !domains.isEmpty { index = DomainIndex(domains, among: others, isOfObjects: isOfObjects) }
        kept = (RuleSteps.make(others), index)
        self.others = kept.others.list
        self.index = index.map(Borrowed.init)
        isOfClass = type is AnyClass
        self.reach = reach
    }

    /// A step, the value that its rule requires, and whether the rule requires nothing else.
    private typealias ValueEntry = (value: any Error, step: RuleStep, isAll: Bool)

    /// Returns an index by value; nil if the type isn't `Hashable` on every actor, or if user code is nested too
    /// deeply, because creating the index runs user code (`==`, `hash`) that might dispatch errors of the type.
    private static func makeIndex(
        of type: any Error.Type, _ entries: [ValueEntry], among others: [RuleStep]
    ) -> StepIndex? {
        // Cast a `Sendable` value too: a global actor's `hash` must not be called elsewhere, and only the value's cast
        // fails then.
        guard let value = entries.first?.value as (any Sendable)?, value is any (Error & Hashable),
            let hashable = type as? any (Error & Hashable).Type, let entry = PerThread.enterUserCode()
        else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        func make<Value: Error & Hashable>(_ type: Value.Type) -> StepIndex {
            ValueIndex<Value>(entries, among: { _ in others }) { value, step, isAll in
                (value as? Value).map { (key: $0, hash: $0.hashValue, step: step.judged(isCertain: isAll)) }
            }
        }
        return make(hashable)
    }

    /// Returns the steps for an error.
    @inline(__always)
    func steps<Content: Error>(
        for content: Content, _ error: UnboxedError, _ notes: inout DispatchNotes
    ) -> RuleStepList {
        guard let index else { return others }
        return index.read { $0.lookUp(content, error, &notes) } ?? others
    }
}
