import Foundation

/// The steps to try for errors of one dynamic type, created for the first error of the type.
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

    /// The largest number of rules for values, or for domains, that are compared one by one.
    private static let fewKeys = 2

    /// The steps for errors without steps in the index.
    ///
    /// This property and the next one are read without retaining their owners, which `kept` retains.
    private let others: RuleStepList
    /// The index of the steps for an error; nil if the steps are the same for all errors of the type.
    private let index: Borrowed<KeyIndex>?
    private let kept: (others: RuleSteps, index: KeyIndex?)
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
        var values: [(value: any Error, step: RuleStep)] = []
        var domains: [(key: KeyIndex.Domain, step: RuleStep)] = []
        for step in rules where step.isFor(type) {
            let shape = step.shape
            let likelihood = step.certainty == .certain ? .certain : shape.likelihood(for: &errors)
            if likelihood == .never { continue }
            if step.traits.isAsynchronous { reach.mayBeAsynchronous = true }
            if likelihood >= .always, likelihood == .certain || errors.alwaysMatch(shape) { reach.alwaysMatches = true }
            let step = step.judged(likelihood == .certain ? .certain : step.certainty)
            switch shape.key {
            // Compare `NSError`s one by one: on Linux their hash traps if the user info holds Swift errors.
            case .value(let value) where !(Swift.type(of: value) is NSError.Type): values.append((value, step))
            // Bridging an error only for its domain is wasted work: its type determines the domain.
            case .nsError(let domain, let code) where code != nil || isOfObjects:
                domains.append((.init(name: domain, code: code), step))
            default: others.append(step)
            }
        }
        var index: KeyIndex?
        if values.count > Self.fewKeys { index = .make(of: type, values, among: others + domains.map(\.step)) }
        if index == nil { others += values.map(\.step) }
        if index == nil, domains.count > Self.fewKeys {
            index = KeyIndex(domains, among: others, areObjects: isOfObjects)
        } else {
            others += domains.map(\.step)
        }
        kept = (RuleSteps.make(others), index)
        self.others = kept.others.list
        self.index = index.map(Borrowed.init)
        isOfClass = type is AnyClass
        self.reach = reach
    }

    /// Returns the steps for an error.
    @inline(__always)
    func steps<Content: Error>(
        for content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) -> RuleStepList {
        guard let index else { return others }
        return index.read { $0.lookUp(content, error, &reporter) } ?? others
    }
}
