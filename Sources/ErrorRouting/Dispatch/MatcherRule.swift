/// A rule with an action that receives its matcher's output; subclasses define the action.
@usableFromInline
class MatcherRule<Input: Sendable>: Rule, @unchecked Sendable {  // As `Rule`.
    private final let closure: ErrorMatcher<Input>.Closure?

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ traits: Traits = Traits()) {
        closure = matcher.closure
        super.init(matcher, at: source, traits)
    }

    /// Creates a rule by the error's type.
    init(type: Input.Type, at source: ErrorReport.Source) where Input: Error {
        if MatcherShape.exactType(type) != nil {
            // Create the matcher here: as a constant it costs less than one that the factory returns.
            closure = nil
            super.init(ErrorMatcher<Input>(.type(type), .type), at: source)
        } else {
            let matcher = ErrorMatcher<Input>.type(type)
            closure = matcher.closure
            super.init(matcher, at: source)
        }
    }

    final override func matches(_ subject: inout ErrorSubject) -> Bool { evaluate(&subject) != nil }

    private final func evaluate(_ subject: inout ErrorSubject) -> Input? {
        ErrorMatcher<Input>.evaluate(&subject, test, closure)
    }

    /// Returns the matcher's output; nil if it doesn't match, or if user code is nested too deeply.
    private final func match(_ error: UnboxedError, _ notes: inout DispatchNotes) -> Input? {
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        return notes.ask(error, evaluate)
    }

    override func act<Content: Error>(
        on content: Content, _ error: UnboxedError, _ notes: inout DispatchNotes
    ) throws -> HandleStrategy? {
        try BoxContent.read(content, error, as: Input.self) { try perform($0, error, &notes) }
    }

    final override func actIfMatching(
        _ error: UnboxedError, _ notes: inout DispatchNotes, under supervisor: (any ActionSupervisor)?
    ) throws -> HandleStrategy? {
        guard let input = match(error, &notes) else { return nil }
        // Check now: the matcher might have run a slow predicate.
        if let supervisor, supervisor.isTakenBack { return nil }
        return try perform(input, error, &notes)
    }

    final override func prepare(
        _ error: UnboxedError, _ notes: inout DispatchNotes, isCertain: Bool
    ) -> PreparedAction? {
        guard let input = isCertain ? error.content(as: Input.self) : match(error, &notes) else { return nil }
        let report = notes.made(for: error)
        return PreparedAction(rule: self, report: report) { [self] in try await performSuspending(input) { report } }
    }

    final override func actSuspending(
        _ error: UnboxedError, _ notes: inout DispatchNotes, isCertain: Bool
    ) async throws -> HandleStrategy? {
        guard let input = isCertain ? error.content(as: Input.self) : match(error, &notes) else { return nil }
        return try await performSuspending(input) { notes.made(for: error) }
    }

    /// Applies the rule to the matcher's output, without suspending.
    ///
    /// - Parameters:
    ///   - input: The matcher's output.
    ///   - error: The error.
    ///   - notes: The dispatch's notes on the error.
    func perform(_ input: Input, _ error: UnboxedError, _ notes: inout DispatchNotes) throws -> HandleStrategy {
        mustBeOverridden()
    }

    /// Applies the rule, which is asynchronous, to the matcher's output.
    ///
    /// - Parameters:
    ///   - input: The matcher's output.
    ///   - report: Returns the error's report; called only if the action receives it.
    func performSuspending(_ input: Input, _ report: () -> ErrorReport) async throws -> HandleStrategy {
        mustBeOverridden()
    }
}
