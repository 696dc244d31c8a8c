/// A rule of an error map, which provides a value for the errors that it matches; subclasses define the value.
class MapRule<Value: Sendable>: Rule, @unchecked Sendable {
    /// Computes the value for an error that is known to match (``RuleStep/isKnown(of:)``).
    ///
    /// Returns false if the content doesn't have the matcher's output type, so that the rule doesn't match.
    func setValue<Content: Error>(for content: Content, _ error: UnboxedError, to value: inout Value) -> Bool {
        mustBeOverridden()
    }

    /// Calls the matcher and, if it matches, computes the value; returns whether it matched.
    func callMatcherAndSetValue(_ error: UnboxedError, _ reporter: inout DispatchReporter, to value: inout Value)
        -> Bool
    {
        mustBeOverridden()
    }

    /// Returns a rule with the same matcher and source location that computes its value from this rule's value.
    func mapped<NewValue: Sendable>(_ transform: @escaping @Sendable (Value) -> NewValue) -> MapRule<NewValue> {
        mustBeOverridden()
    }
}

/// A rule that computes its value from the match.
class ComputedMapRule<Input: Sendable, Value: Sendable>: MapRule<Value>, @unchecked Sendable {
    fileprivate final let matcher: ErrorMatcher<Input>
    private final let compute: @Sendable (Input) -> Value

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ compute: @escaping @Sendable (Input) -> Value
    ) {
        (self.matcher, self.compute) = (matcher, compute)
        super.init(matcher, at: source)
    }

    final override func callMatcher(_ subject: inout ErrorSubject) -> Bool { matcher.evaluate(&subject) != nil }

    override func setValue<Content: Error>(for content: Content, _ error: UnboxedError, to value: inout Value) -> Bool {
        error.read(content, as: Input.self) { value = compute($0) } != nil
    }

    final override func callMatcherAndSetValue(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, to value: inout Value
    ) -> Bool {
        guard let input = reporter.withSubject(of: error, matcher.match) else { return false }
        value = compute(input)
        return true
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        ComputedMapRule<Input, NewValue>(matcher, at: source) { [compute] in transform(compute($0)) }
    }
}

/// A rule with the same value for all errors that it matches.
final class ConstantMapRule<Input: Sendable, Value: Sendable>: ComputedMapRule<Input, Value>, @unchecked Sendable {
    private let constant: Value

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ constant: Value) {
        self.constant = constant
        super.init(matcher, at: source) { _ in constant }
    }

    // Don't read the content: a constant doesn't depend on the matcher's output.
    override func setValue<Content: Error>(for content: Content, _ error: UnboxedError, to value: inout Value) -> Bool {
        value = constant
        return true
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        ConstantMapRule<Input, NewValue>(matcher, at: source, transform(constant))
    }
}
