/// A rule of an error map, which has a value for the errors that it matches.
class MapRule<Value: Sendable>: Rule, @unchecked Sendable {
    /// Gives the value for an error that is certain to match (``RuleStep/isCertain``).
    ///
    /// - Parameters:
    ///   - content: The content of the error's box.
    ///   - error: The error.
    ///   - value: Set to the value. (If an optional were returned, the runtime would look up its type at every call.)
    func give<Content: Error>(for content: Content, _ error: any Error, _ value: inout Value) { mustBeOverridden() }

    /// Gives the value if the rule matches, and returns whether it does.
    func giveIfMatching(_ subject: inout ErrorSubject, _ value: inout Value) -> Bool { mustBeOverridden() }

    /// Returns a rule that matches the same errors, was registered at the same place, and makes its value from this
    /// rule's.
    func mapped<NewValue: Sendable>(_ transform: @escaping @Sendable (Value) -> NewValue) -> MapRule<NewValue> {
        mustBeOverridden()
    }
}

/// A rule whose value is the same for all errors that it matches.
final class ConstantMapRule<Input: Sendable, Value: Sendable>: MapRule<Value>, @unchecked Sendable {
    private let matcher: RuleMatcher<Input>
    private let constant: Value

    init(_ matcher: RuleMatcher<Input>, _ shape: MatcherShape, at source: ErrorReport.Source, _ value: Value) {
        self.matcher = matcher
        constant = value
        super.init(shape: shape, source: source)
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        ConstantMapRule<Input, NewValue>(matcher, registration.shape, at: registration.source, transform(constant))
    }

    override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }

    override func give<Content: Error>(for content: Content, _ error: any Error, _ value: inout Value) {
        value = constant
    }

    override func giveIfMatching(_ subject: inout ErrorSubject, _ value: inout Value) -> Bool {
        guard matcher.matches(&subject) else { return false }
        value = constant
        return true
    }
}

/// A rule that makes its value from the match.
final class ComputedMapRule<Input: Sendable, Value: Sendable>: MapRule<Value>, @unchecked Sendable {
    private let matcher: RuleMatcher<Input>
    private let compute: @Sendable (Input) -> Value

    init(
        _ matcher: RuleMatcher<Input>, _ shape: MatcherShape, at source: ErrorReport.Source,
        _ compute: @escaping @Sendable (Input) -> Value
    ) {
        self.matcher = matcher
        self.compute = compute
        super.init(shape: shape, source: source)
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        let compute = compute
        return ComputedMapRule<Input, NewValue>(matcher, registration.shape, at: registration.source) {
            transform(compute($0))
        }
    }

    override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }

    override func give<Content: Error>(for content: Content, _ error: any Error, _ value: inout Value) {
        matcher.handOn(content, error) { value = compute($0) }
    }

    override func giveIfMatching(_ subject: inout ErrorSubject, _ value: inout Value) -> Bool {
        guard let input = matcher.input(&subject) else { return false }
        value = compute(input)
        return true
    }
}

extension RuleSet {
    /// Looks up the value of the first rule that matches; the rules must be those of an error map.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - value: Set to the rule's value; unchanged if no rule matches.
    /// - Returns: The rule, which lives as long as this set; nil if none matches.
    @inline(never)
    func look<Value: Sendable>(for error: any Error, _ value: inout Value) -> Unmanaged<Rule>? {
        defer { withExtendedLifetime(self) {} }
        let program = unsafe reference.program
        guard let index = unsafe program._withUnsafeGuaranteedRef({ unsafe $0.index }) else {
            let cursor = unsafe program._withUnsafeGuaranteedRef { RuleStepCursor($0.rules.list) }
            return unsafe Self.firstMatch(ErrorBox.unboxed(error), cursor, nil, &value)
        }
        func look<Content: Error>(_ content: Content) -> Unmanaged<Rule>? {
            guard let plan = unsafe index._withUnsafeGuaranteedRef({ unsafe $0.plan(for: content, error) }) else {
                return unsafe self.look(for: ErrorBox.unboxed(error), &value)
            }
            let domain = unsafe plan._withUnsafeGuaranteedRef { unsafe $0.domain }
            let first = unsafe RuleStepCursor.first(of: plan, for: content).place
            if let step = unsafe first?.pointee, step.isCertain, unsafe domain == nil {
                unsafe Self.mapRule(of: step, Value.self)._withUnsafeGuaranteedRef {
                    $0.give(for: content, error, &value)
                }
                return unsafe step.rule
            }
            if unsafe first == nil && domain == nil { return nil }
            return unsafe Self.firstMatch(error, RuleStepCursor(plan, for: content), domain, &value)
        }
        return unsafe _openExistential(error, do: look)
    }

    /// Tries one rule after the other, and returns the first that matches.
    @inline(never)
    private static func firstMatch<Value: Sendable>(
        _ error: any Error, _ start: RuleStepCursor, _ domain: Unmanaged<DomainSteps>?, _ value: inout Value
    ) -> Unmanaged<Rule>? {
        var subject = ErrorSubject(error)
        let example = TypeExample(error, needsDomain: false)
        var cursor = start
        if let domain = unsafe domain { unsafe cursor.add(domain, for: &subject) }
        while let step = unsafe cursor.next()?.pointee {
            if !step.isJudged, case .never = step.verdict(for: example) { continue }
            let isMatch = unsafe mapRule(of: step, Value.self)._withUnsafeGuaranteedRef { rule in
                guard step.isCertain else { return rule.giveIfMatching(&subject, &value) }
                func give<Content: Error>(_ content: Content) { rule.give(for: content, error, &value) }
                _openExistential(error, do: give)
                return true
            }
            if isMatch { return unsafe step.rule }
        }
        return nil
    }

    /// Returns the rule of a step as a map rule, unchecked: an error map adds no other rules.
    @inline(__always)
    private static func mapRule<Value>(of step: RuleStep, _: Value.Type) -> Unmanaged<MapRule<Value>> {
        unsafe Unmanaged.fromOpaque(step.rule.toOpaque())
    }
}
