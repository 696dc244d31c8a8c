import Foundation

/// What a type of error says about a list of rules.
struct TypeReach {
    /// Whether an error of the type may match an asynchronous rule, reached or not.
    var mayBeAsynchronous = false
    /// Whether some rule matches every error of the type, whatever the error's domain.
    var alwaysMatches = false
}

/// The steps to try for errors of one dynamic type, and where to look up others: made for the first error of the type.
///
/// Unchecked, since the compiler cannot know that the memory of the steps does not change.
@safe final class TypePlan: @unchecked Sendable {
    /// The steps for errors that the index has none for, of rules that match by the type alone or that have to be asked.
    ///
    /// This and the next are read without retaining the objects that own them, which `kept` retains.
    private let others: RuleStepList
    /// Where the steps for an error are looked up; nil if they are the same for all errors of the type.
    private let index: Borrowed<StepIndex>?
    private let kept: (others: RuleSteps, index: StepIndex?)
    /// Whether the type is a class: then a content of that static type may be an object of a subclass.
    let isOfClass: Bool
    let reach: TypeReach

    /// Compares the rules with the type of an error, which is asked only for what all errors of the type have in common:
    /// conformances, and a Swift type's domain.
    ///
    /// - Parameters:
    ///   - rules: The rules in order.
    ///   - error: An error of the type.
    init(of rules: RuleStepList, for error: any Error) {
        let type = type(of: error)
        let isOfObjects = type is NSError.Type
        var (subject, reach, others) = (ErrorSubject(error), TypeReach(), [RuleStep]())
        var (values, domains): ([ValueEntry], [DomainIndex.Condition]) = ([], [])
        for step in rules where step.isFor(type) {
            let shape = step.shape
            let likelihood =
                step.match == .certain ? .certain : shape.likelihood(for: &subject, asksDomain: !isOfObjects)
            if likelihood == .never { continue }
            if step.traits.isAsynchronous { reach.mayBeAsynchronous = true }
            if likelihood >= .always, step.match == .certain || shape.likelihood(for: &subject) >= .always {
                reach.alwaysMatches = true
            }
            let key = shape.key
            switch key?.shape {
            // `NSError`s are compared one by one: on Linux their hash traps if the user info holds Swift errors.
            case .value(let value) where !(Swift.type(of: value) is NSError.Type):
                values.append((value, step, key?.isAll == true))
            // To bridge an error only for its domain, which its type says, would be in vain.
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

    /// A step, the value that its rule requires, and whether that is all that it requires.
    private typealias ValueEntry = (value: any Error, step: RuleStep, isAll: Bool)

    /// Returns an index by value; nil if the type is not `Hashable` on every actor, or if matchers recurse too deep: to
    /// make the index runs user code (`==`, `hash`), which may dispatch errors of the type.
    private static func makeIndex(
        of type: any Error.Type, _ entries: [ValueEntry], among others: [RuleStep]
    ) -> StepIndex? {
        // A global actor's `hash` must not be called elsewhere: the cast of a `Sendable` value fails then, unlike that of
        // its type.
        guard let value = entries.first?.value as (any Sendable)?, value is any (Error & Hashable),
            let hashable = type as? any (Error & Hashable).Type, let entry = PerThread.enterMatcher()
        else { return nil }
        defer { PerThread.leaveMatcher(entry) }
        func make<Value: Error & Hashable>(_ type: Value.Type) -> StepIndex {
            let keyed = entries.lazy.compactMap { value, step, isAll in
                (value as? Value).map { (key: $0, hash: $0.hashValue, step: step.judged(isCertain: isAll)) }
            }
            return ValueIndex(keyed, room: entries.count) { _ in others }
        }
        return make(hashable)
    }

    /// Returns the steps for an error.
    @inline(__always)
    func steps<Content: Error>(for content: Content, _ error: any Error, _ notes: inout DispatchNotes) -> RuleStepList {
        guard let index else { return others }
        return index.read { $0.lookUp(content, error, &notes) } ?? others
    }
}
