/// A rule of an error map: what it matches, a value stands for.
class MapRule<Value: Sendable>: Rule, @unchecked Sendable {
    /// The value, if the rule matches; else nil.
    func value(_ subject: inout ErrorSubject, isCertain: Bool) -> Value? { overridden() }
}

/// A rule whose value is the same for all that it matches.
final class ConstantMapRule<Input: Sendable, Value: Sendable>: MapRule<Value>, @unchecked Sendable {
    private let matcher: RuleMatcher<Input>
    private let constant: Value

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ value: Value) {
        self.matcher = RuleMatcher(matcher)
        constant = value
        super.init(shape: matcher.shape, source: source)
    }

    override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }

    override func value(_ subject: inout ErrorSubject, isCertain: Bool) -> Value? {
        isCertain || matcher.matches(&subject) ? constant : nil
    }
}

/// A rule that makes its value from the match.
final class ComputedMapRule<Input: Sendable, Value: Sendable>: MapRule<Value>, @unchecked Sendable {
    private let matcher: RuleMatcher<Input>
    private let compute: @Sendable (Input) -> Value

    init(
        _ matcher: ErrorMatcher<Input>,
        at source: ErrorReport.Source,
        _ compute: @escaping @Sendable (Input) -> Value
    ) {
        self.matcher = RuleMatcher(matcher)
        self.compute = compute
        super.init(shape: matcher.shape, source: source)
    }

    override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }

    override func value(_ subject: inout ErrorSubject, isCertain: Bool) -> Value? {
        matcher.isSettled(for: subject, isCertain: isCertain)
            ? unsafe compute(subject.error(as: Input.self)) : matcher.input(&subject).map(compute)
    }
}

extension RuleSet {
    /// The value of the first rule that matches, where the rules are those of a map.
    @inline(never)
    func value<Value: Sendable>(for error: any Error) -> Value? {
        defer { withExtendedLifetime(self) {} }
        var rule: Unmanaged<Rule>?
        return unsafe firstMatch(for: error, &rule)
    }

    /// That value, and the rule.
    @inline(never)
    func match<Value: Sendable>(for error: any Error) -> (value: Value, rule: RuleDescription)? {
        defer { withExtendedLifetime(self) {} }
        var rule: Unmanaged<Rule>?
        guard let value: Value = unsafe firstMatch(for: error, &rule), let rule = unsafe rule else { return nil }
        return unsafe (value, rule._withUnsafeGuaranteedRef { $0.registration.description })
    }

    /// The value of the first rule that matches.
    ///
    /// Not as a pair with its rule: the runtime would look up the type of that pair for each error, which takes as long
    /// as all the rest.
    ///
    /// - Parameter rule: That rule, which lives as long as this set.
    @inline(__always)
    private func firstMatch<Value: Sendable>(for error: any Error, _ rule: inout Unmanaged<Rule>?) -> Value? {
        var walk = unsafe DispatchWalk(unretainedProgram, error, from: DispatchProgress())
        while let step = walk.next() {
            let value = unsafe step.rule._withUnsafeGuaranteedRef { rule in
                // Every rule of a map is one: no other is ever added.
                unsafe unsafeDowncast(rule, to: MapRule<Value>.self)
                    .value(&walk.subject, isCertain: step.isCertain)
            }
            if let value {
                unsafe rule = step.rule
                return value
            }
        }
        return nil
    }
}
