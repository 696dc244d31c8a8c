import Foundation

/// The steps to try for errors of one dynamic type, created for the first error of the type.
///
/// `@unchecked` because the compiler can't verify that the memory of the steps doesn't change.
@safe final class TypePlan: @unchecked Sendable {
    /// What an error's type alone determines about a list of rules.
    struct Reach {
        /// Whether an error of the type might match an asynchronous rule, even one that it can't reach.
        var mayBeAsynchronous = false
        /// Whether at least one rule matches every error of the type, regardless of the error's domain.
        var alwaysMatches = false
        /// Whether at least one rule matches every error of the type without a call of its matcher.
        var isCertain = false
    }

    /// The maximum number of rules for values, or for domains, that are compared one by one.
    private static let fewKeys = 2

    /// The steps for errors that aren't in the index.
    private let others: RuleStepList
    /// The owner of the memory of `others`.
    private let memory: FixedArray<RuleStep>
    /// The index of steps by value or domain; nil if the steps are the same for all errors of the type.
    private let index: KeyIndex?
    /// Whether the type is a class, so that content with that static type might be an instance of a subclass.
    let isOfClass: Bool
    let reach: Reach

    /// Compares rules, given in order, with the type of an error.
    ///
    /// This reads only properties that all errors of the type share: conformances, and a Swift type's domain.
    init(of rules: RuleStepList, for error: UnboxedError) {
        let type = type(of: error.error)
        let isOfObjects = type is NSError.Type
        var subject = ErrorSubject(error)
        var (reach, others) = (Reach(), [RuleStep]())
        var values: [(value: any Error, step: RuleStep)] = []
        var domains: [(key: KeyIndex.Domain, step: RuleStep)] = []
        for step in rules where step.isFor(type) {
            let shape = step.shape
            let likelihood = step.test == .certain ? .certain : subject.likelihood(of: shape)
            if likelihood == .never { continue }
            let isCertain = likelihood == .certain
            if step.traits.isAsynchronous { reach.mayBeAsynchronous = true }
            if isCertain { reach.isCertain = true }
            // Require a match without the domain: that errors of one Swift type have the same domain is an assumption.
            if isCertain || likelihood == .always && subject.likelihood(of: shape, readsDomain: false) == .always {
                reach.alwaysMatches = true
            }
            let step = step.afterTypeComparison(isCertain ? .certain : step.test)
            switch shape.key {
            // Compare `NSError`s one by one: on Linux, their hash traps if the user info contains Swift errors.
            case .value(let value) where !(Swift.type(of: value) is NSError.Type): values.append((value, step))
            // Index a Swift type's errors only by code: the type determines the domain, and bridging only for it is
            // wasted work.
            case .nsError(let domain, let code) where code != nil || isOfObjects:
                domains.append((.init(name: domain, code: code), step))
            default: others.append(step)
            }
        }
        var index: KeyIndex?
        // Create only one index, because an error is looked up once. Every list in it also contains all other steps.
        if values.count > Self.fewKeys { index = .make(of: type, values, among: others + domains.map(\.step)) }
        if index == nil { others += values.map(\.step) }
        if index == nil, domains.count > Self.fewKeys {
            index = KeyIndex(domains, among: others, areObjects: isOfObjects)
        } else {
            others += domains.map(\.step)
        }
        var memory = FixedArray<RuleStep>(capacity: others.count)
        self.others = memory.append(others)
        self.memory = memory
        self.index = index
        isOfClass = type is AnyClass
        self.reach = reach
    }

    /// Returns the steps to try for an error of the type.
    @inline(__always)
    func steps<Content: Error>(
        for content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) -> RuleStepList {
        guard let index = index.map(Borrowed.init) else { return others }
        return index.read { $0.lookUp(content, error, &reporter) } ?? others
    }
}
