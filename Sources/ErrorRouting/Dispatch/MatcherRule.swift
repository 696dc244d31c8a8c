/// A rule with an action that receives its matcher's output; subclasses define the action.
@usableFromInline
class MatcherRule<Input: Sendable>: Rule, @unchecked Sendable {  // See `Rule`.
    private final let closure: ErrorMatcher<Input>.Closure?

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ traits: Traits = Traits()) {
        closure = matcher.closure
        super.init(matcher, at: source, traits)
    }

    /// Creates a rule that matches by the error's type.
    init(type: Input.Type, at source: ErrorReport.Source) where Input: Error {
        if MatcherShape.exactType(type) != nil {
            // Create the matcher here: a constant matcher costs less than the result of the factory.
            closure = nil
            super.init(ErrorMatcher<Input>(.type(type), .type), at: source)
        } else {
            let matcher = ErrorMatcher<Input>.type(type)
            closure = matcher.closure
            super.init(matcher, at: source)
        }
    }

    final override func callMatcher(_ subject: inout ErrorSubject) -> Bool { evaluate(&subject) != nil }

    private final func evaluate(_ subject: inout ErrorSubject) -> Input? {
        ErrorMatcher<Input>.evaluate(&subject, test, closure)
    }

    /// Returns the matcher's output; nil if the matcher doesn't match or user code is nested too deeply.
    private final func match(_ error: UnboxedError, _ reporter: inout DispatchReporter) -> Input? {
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        return reporter.withSubject(of: error, evaluate)
    }

    override func callAction<Content: Error>(
        on content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy? {
        try BoxContent.read(content, error, as: Input.self) { try callAction($0, error, &reporter) }
    }

    final override func callMatcherAndAction(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, under supervisor: (any ActionSupervisor)?
    ) throws -> HandleStrategy? {
        guard let input = match(error, &reporter) else { return nil }
        // Check again: the matcher might have run a slow predicate.
        if let supervisor, supervisor.isReportRemoved { return nil }
        return try callAction(input, error, &reporter)
    }

    final override func callMatcherAndPrepare(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, isCertain: Bool
    ) -> PreparedAction? {
        guard let input = isCertain ? error.content(as: Input.self) : match(error, &reporter) else { return nil }
        let report = reporter.report(of: error)
        return PreparedAction(rule: self, report: report) { [self] in try await callAsyncAction(input) { report } }
    }

    final override func callMatcherAndAsyncAction(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, isCertain: Bool
    ) async throws -> HandleStrategy? {
        guard let input = isCertain ? error.content(as: Input.self) : match(error, &reporter) else { return nil }
        return try await callAsyncAction(input) { reporter.report(of: error) }
    }

    /// Calls the action, which must be synchronous, with the matcher's output.
    func callAction(_ input: Input, _ error: UnboxedError, _ reporter: inout DispatchReporter) throws -> HandleStrategy
    {
        mustBeOverridden()
    }

    /// Calls the action, which must be asynchronous, with the matcher's output.
    ///
    /// The closure returns the error's report and is called only if the action receives it.
    func callAsyncAction(_ input: Input, _ report: () -> ErrorReport) async throws -> HandleStrategy {
        mustBeOverridden()
    }
}
