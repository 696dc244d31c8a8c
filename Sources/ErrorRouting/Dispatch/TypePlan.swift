import Foundation

/// The steps to try for errors of one dynamic type, created for the first error of the type.
///
/// `@unchecked` because the compiler can't verify that the memory of the steps doesn't change.
@safe final class TypePlan: @unchecked Sendable {
    /// What an error's type alone determines about a list of rules.
    struct Reach {
        /// Whether an error of the type might match an asynchronous rule, even one that it can't reach.
        var mayBeAsynchronous = false
        /// How likely the likeliest rule matches an error of the type, regardless of the error's domain.
        var likelihood = Likelihood.never

        /// Adds a rule that matches errors of the type with a given likelihood.
        mutating func add(_ step: RuleStep, _ likelihood: Likelihood) {
            if step.traits.isAsynchronous { mayBeAsynchronous = true }
            self.likelihood = max(self.likelihood, likelihood)
        }
    }

    /// The maximum number of rules for values, or for domains, that are compared one by one.
    private static let fewKeys = 2

    /// The steps for errors that aren't in the index.
    private let others: RuleStepList
    /// The owner of the memory of `others`.
    private let memory: FixedArray<RuleStep>
    /// The index of steps by domain and code; nil if there are few rules for domains.
    private let domains: KeyIndex<DomainKey>?
    /// Returns the steps for an error, or nil if its value has no rule; nil if there are few rules for values.
    ///
    /// It runs user code (`==` and `hash`).
    private let findValue: ValueLookup?
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
        var domains: [(key: DomainKey, step: RuleStep)] = []
        for step in rules where step.isFor(type) {
            let shape = step.rule.read { $0.shape }
            let likelihood = step.test == .certain ? .certain : subject.likelihood(of: shape)
            if likelihood == .never { continue }
            let isCertain = likelihood == .certain
            // Don't read the domain: that errors of one Swift type have the same domain is an assumption.
            reach.add(step, likelihood == .always ? subject.likelihood(of: shape, readsDomain: false) : likelihood)
            let step = step.afterTypeComparison(isCertain ? .certain : step.test)
            switch shape.key {
            // Compare `NSError`s one by one: on Linux, their hash traps if the user info contains Swift errors.
            case .value(let value) where !(Swift.type(of: value) is NSError.Type): values.append((value, step))
            // Index a Swift type's errors only by code: the type determines the domain, and bridging only for it is
            // wasted work.
            case .nsError(let domain, let code) where code != nil || isOfObjects:
                domains.append((DomainKey(name: domain, code: code), step))
            default: others.append(step)
            }
        }
        // Create only one index, because an error is looked up once. Every list in it also contains all other steps.
        // Enter user code: creating the index calls `==` and `hash`, which might dispatch errors of the type.
        // Cast a value, too: if the type's `Hashable` conformance belongs to a global actor, `hash` must not be called
        // elsewhere, and only the cast of a `Sendable` value fails.
        if values.count > Self.fewKeys, values[0].value as any Sendable is any (Error & Hashable),
            let type = type as? any (Error & Hashable).Type, let entry = PerThread.enterUserCode()
        {
            others += domains.map(\.step)
            func lookup<Value: Error & Hashable>(_ type: Value.Type) -> ValueLookup {
                let index = KeyIndex<Value>(values, among: others)
                return { index.steps(for: $0) }
            }
            (findValue, self.domains) = (lookup(type), nil)
            PerThread.leaveUserCode(entry)
        } else if domains.count > Self.fewKeys {
            others += values.map(\.step)
            (findValue, self.domains) = (nil, KeyIndex(domains, among: others, areObjects: isOfObjects))
        } else {
            others += values.map(\.step) + domains.map(\.step)
            (findValue, self.domains) = (nil, nil)
        }
        var memory = FixedArray<RuleStep>(capacity: others.count)
        self.others = memory.append(others)
        self.memory = memory
        isOfClass = type is AnyClass
        self.reach = reach
    }

    /// Returns the steps to try for an error of the type.
    @inline(__always)
    func steps<Content: Error>(
        for content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) -> RuleStepList {
        domains == nil && findValue == nil ? others : lookUp(content, error, &reporter) ?? others
    }

    @inline(never)
    private func lookUp<Content: Error>(
        _ content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) -> RuleStepList? {
        let domains = domains.map(Borrowed.init)
        if let domains, Content.self == NSError.self, UnboxedError.dynamicClass(of: content) == NSError.self {
            return error.read(content, as: NSError.self) { error in domains.read { $0.steps(for: error) } } ?? nil
        }
        // Read the domain as user code, too: a Swift error is bridged, and a subclass of `NSError` might override
        // `domain` or `code`.
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        guard let domains else { return findValue?(error) }
        let bridged = reporter.withSubject(of: error) { $0.nsError() }
        return domains.read { $0.steps(for: bridged) }
    }

    private typealias ValueLookup = @Sendable (UnboxedError) -> RuleStepList?
}
