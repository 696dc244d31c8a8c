/// A rule of an error map, which has a value for the errors that it matches.
class MapRule<Value: Sendable>: Rule, @unchecked Sendable {
    /// Gives the value to the dispatch's caller, which keeps the place for it.
    @unsafe @inline(__always)
    fileprivate final func give(_ value: Value, to place: UnsafeMutableRawPointer?) {
        guard let place = unsafe place else { preconditionFailure("a map's rule is given the place of the value") }
        unsafe place.assumingMemoryBound(to: Value.self).pointee = value
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

    init(_ matcher: RuleMatcher<Input>, _ shape: MatcherShape, at source: ErrorReport.Source, _ value: Value) {
        self.matcher = matcher
        constant = value
        super.init(shape, at: source)
    }

    override func mapped<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> MapRule<NewValue> {
        ConstantMapRule<Input, NewValue>(matcher, registration.shape, at: registration.source, transform(constant))
    }

    override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }

    override func act<Content: Error>(
        on content: Content, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) -> DispatchProgress.Answer {
        unsafe give(constant, to: target)
        return .stop
    }

    override func actIfMatching(
        _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>, under supervisor: (any ActionSupervisor)?
    ) -> DispatchProgress.Answer {
        guard unsafe report.pointee.ask(error, matcher.matches) else { return .notMatched }
        unsafe give(constant, to: report.pointee.place)
        return .stop
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
        super.init(shape, at: source)
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

    override func act<Content: Error>(
        on content: Content, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) -> DispatchProgress.Answer {
        matcher.handOn(content, error) { input in unsafe give(compute(input), to: target) }
        return .stop
    }

    override func actIfMatching(
        _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>, under supervisor: (any ActionSupervisor)?
    ) -> DispatchProgress.Answer {
        guard let input = unsafe report.pointee.ask(error, matcher.input) else { return .notMatched }
        unsafe give(compute(input), to: report.pointee.place)
        return .stop
    }
}
