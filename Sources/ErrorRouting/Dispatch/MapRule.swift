/// A rule of an error map, which has a value for the errors that it matches.
protocol MapRule<Value>: Rule {
    associatedtype Value: Sendable

    /// Returns a rule that matches the same errors, was registered at the same place, and makes its value from this
    /// rule's.
    func mapped<NewValue: Sendable>(_ transform: @escaping @Sendable (Value) -> NewValue) -> any MapRule<NewValue>
}

extension MapRule {
    /// Gives the value to the dispatch's caller, which keeps the place for it.
    @unsafe @inline(__always)
    fileprivate func give(_ value: Value, to place: UnsafeMutableRawPointer?) -> DispatchProgress.Answer {
        guard let place = unsafe place else { preconditionFailure("a map's rule is given the place of the value") }
        unsafe place.assumingMemoryBound(to: Value.self).pointee = value
        return .stop
    }
}

/// A rule whose value is the same for all errors that it matches.
final class ConstantMapRule<Input: Sendable, Value: Sendable>: MatcherRule<Input>, MapRule, @unchecked Sendable {
    private let constant: Value

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ value: Value) {
        constant = value
        super.init(matcher, at: source)
    }

    func mapped<NewValue: Sendable>(_ transform: @escaping @Sendable (Value) -> NewValue) -> any MapRule<NewValue> {
        ConstantMapRule<Input, NewValue>(matcher, at: registration.source, transform(constant))
    }

    // The matcher's output is not needed, and it costs something to make it of the error.
    override func act<Content: Error>(
        on content: Content, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) -> DispatchProgress.Answer { unsafe give(constant, to: target) }

    override func perform(
        _ input: Input, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) -> DispatchProgress.Answer { unsafe give(constant, to: target) }
}

/// A rule that makes its value from the match.
final class ComputedMapRule<Input: Sendable, Value: Sendable>: MatcherRule<Input>, MapRule, @unchecked Sendable {
    private let compute: @Sendable (Input) -> Value

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ compute: @escaping @Sendable (Input) -> Value
    ) {
        self.compute = compute
        super.init(matcher, at: source)
    }

    func mapped<NewValue: Sendable>(_ transform: @escaping @Sendable (Value) -> NewValue) -> any MapRule<NewValue> {
        let compute = compute
        return ComputedMapRule<Input, NewValue>(matcher, at: registration.source) { transform(compute($0)) }
    }

    override func perform(
        _ input: Input, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) -> DispatchProgress.Answer { unsafe give(compute(input), to: target) }
}
