/// A rule of an error map, which provides a value for the errors that it matches.
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

/// A map rule that computes its value from its matcher's output.
final class ComputedMapRule<Input: Sendable, Value: Sendable>: MapRule<Value>, @unchecked Sendable {
    private let matcher: ErrorMatcher<Input>
    private let compute: @Sendable (Input) -> Value
    /// The value if it is the same for all errors; empty if the value must be computed.
    ///
    /// It isn't an optional, because the runtime would look up the optional's type for each error.
    private let constant: FixedArray<Value>

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ compute: @escaping @Sendable (Input) -> Value
    ) {
        (self.matcher, self.compute) = (matcher, compute)
        constant = FixedArray(capacity: 0)
        super.init(matcher, at: source)
    }

    /// Creates a rule with the same value for all errors.
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, constant: Value) {
        (self.matcher, compute) = (matcher, { _ in constant })
        var values = FixedArray<Value>(capacity: 1)
        values.append(constant)
        self.constant = values
        super.init(matcher, at: source)
    }

    override func callMatcher(_ subject: inout ErrorSubject) -> Bool { matcher.evaluate(&subject) != nil }

    override func setValue<Content: Error>(for content: Content, _ error: UnboxedError, to value: inout Value) -> Bool {
        if constant.count > 0 {
            value = constant[0]
            return true
        }
        return error.read(content, as: Input.self) { value = compute($0) } != nil
    }

    override func callMatcherAndSetValue(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, to value: inout Value
    ) -> Bool {
        guard let input = reporter.withSubject(of: error, matcher.match) else { return false }
        value = compute(input)
        return true
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        typealias Mapped = ComputedMapRule<Input, NewValue>
        if constant.count > 0 { return Mapped(matcher, at: source, constant: transform(constant[0])) }
        return Mapped(matcher, at: source) { [compute] in transform(compute($0)) }
    }
}
