/// A rule of an error map, which has a value for the errors that it matches; subclasses define how it is made.
class MapRule<Value: Sendable>: Rule, @unchecked Sendable {
    /// Sets a value to that of an error which is certain to match.
    func give<Content: Error>(for content: Content, _ error: any Error, to value: inout Value) { mustBeOverridden() }

    /// Asks the matcher and, if it matches, sets a value to that of the error; returns whether it matches.
    func giveIfMatching(_ error: any Error, _ report: inout LazyReport, to value: inout Value) -> Bool {
        mustBeOverridden()
    }

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

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ value: Value) {
        let requirement = matcher.shape.requirement
        (self.matcher, constant) = (RuleMatcher(matcher, requirement), value)
        super.init(matcher.shape, requirement, at: source)
    }

    override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.input(&subject) != nil }

    // The matcher's output is not needed.
    override func give<Content: Error>(for content: Content, _ error: any Error, to value: inout Value) {
        value = constant
    }

    override func giveIfMatching(_ error: any Error, _ report: inout LazyReport, to value: inout Value) -> Bool {
        guard report.ask(error, matches) else { return false }
        value = constant
        return true
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        let matcher = ErrorMatcher(registration.shape, matcher.evaluation)
        return ConstantMapRule<Input, NewValue>(matcher, at: registration.source, transform(constant))
    }
}

/// A rule that makes its value from the match.
final class ComputedMapRule<Input: Sendable, Value: Sendable>: MapRule<Value>, @unchecked Sendable {
    private let matcher: RuleMatcher<Input>
    private let compute: @Sendable (Input) -> Value

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ compute: @escaping @Sendable (Input) -> Value
    ) {
        let requirement = matcher.shape.requirement
        (self.matcher, self.compute) = (RuleMatcher(matcher, requirement), compute)
        super.init(matcher.shape, requirement, at: source)
    }

    override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.input(&subject) != nil }

    override func give<Content: Error>(for content: Content, _ error: any Error, to value: inout Value) {
        value = matcher.handOn(content, error, to: compute)
    }

    override func giveIfMatching(_ error: any Error, _ report: inout LazyReport, to value: inout Value) -> Bool {
        guard let input = report.ask(error, matcher.input) else { return false }
        value = compute(input)
        return true
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        let (matcher, compute) = (ErrorMatcher(registration.shape, matcher.evaluation), compute)
        return ComputedMapRule<Input, NewValue>(matcher, at: registration.source) { transform(compute($0)) }
    }
}
