/// A rule with an action that receives its matcher's output.
@usableFromInline
final class MatcherRule<Input: Sendable>: Rule, @unchecked Sendable {  // See `Rule`.
    /// What the rule does with the matcher's output.
    ///
    /// It is noncopyable so that calling the user's closure doesn't retain it: concurrent dispatches share the rule.
    @usableFromInline
    enum Action: ~Copyable, Sendable {
        case synchronous(@Sendable (Input) throws -> HandleStrategy)
        case synchronousWithReport(@Sendable (Input, ErrorReport) throws -> HandleStrategy)
        case asynchronous(@Sendable (Input) async throws -> HandleStrategy)
        case asynchronousWithReport(@Sendable (Input, ErrorReport) async throws -> HandleStrategy)
        /// Only stops the search; the error has the given disposition.
        case stop(Stop)

        fileprivate var traits: Traits {
            switch self {
            case .synchronous: Traits()
            case .synchronousWithReport: Traits(needsReport: true)
            case .asynchronous: Traits(isAsynchronous: true)
            case .asynchronousWithReport: Traits(isAsynchronous: true, needsReport: true)
            case .stop(let stop): Traits(stop: stop)
            }
        }
    }

    private let action: Action
    private let closure: ErrorMatcher<Input>.Closure?

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: consuming Action) {
        let traits = action.traits
        self.action = action
        closure = matcher.closure
        super.init(matcher, at: source, traits)
    }

    /// Creates a rule that matches by the error's type.
    @usableFromInline
    init(type: Input.Type, at source: ErrorReport.Source, _ action: consuming Action) where Input: Error {
        let traits = action.traits
        self.action = action
        if MatcherShape.exactType(type) != nil {
            // Create the matcher here: a constant matcher costs less than the result of the factory.
            closure = nil
            super.init(ErrorMatcher<Input>(.type(type), .certain), at: source, traits)
        } else {
            let matcher = ErrorMatcher<Input>.type(type)
            closure = matcher.closure
            super.init(matcher, at: source, traits)
        }
    }

    override func callMatcher(_ subject: inout ErrorSubject) -> Bool { evaluate(&subject) != nil }

    private func evaluate(_ subject: inout ErrorSubject) -> Input? {
        ErrorMatcher<Input>.evaluate(&subject, predicate, closure)
    }

    /// Returns the matcher's output; nil if the matcher doesn't match or user code is nested too deeply.
    private func match(_ error: UnboxedError, _ reporter: inout DispatchReporter) -> Input? {
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        return reporter.withSubject(of: error, evaluate)
    }

    override func callAction<Content: Error>(
        on content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy? {
        // Pass the most frequent kind of action itself: a closure around it would cost another call.
        switch action {
        case .synchronous(let action): try error.read(content, as: Input.self, action)
        default: try error.read(content, as: Input.self) { try callAction($0, error, &reporter) }
        }
    }

    override func callMatcherAndAction(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, under supervisor: (any ActionSupervisor)?
    ) throws -> HandleStrategy? {
        guard let input = match(error, &reporter) else { return nil }
        // Check again: the matcher might have run a slow predicate.
        if let supervisor, supervisor.isReportRemoved { return nil }
        return try callAction(input, error, &reporter)
    }

    private func callAction(
        _ input: Input, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy {
        switch action {
        case .synchronous(let action): try action(input)
        case .synchronousWithReport(let action): try reporter.withReport(of: error) { try action(input, $0) }
        case .stop: .stop
        default: preconditionFailure("the action is asynchronous")
        }
    }

    // MARK: Asynchronous actions

    override func callAsyncAction(on error: UnboxedError) async throws -> HandleStrategy? {
        // Check before reading: the runtime would look up an optional of the input's type for each error.
        guard error.isReadable(as: Input.self) else { return nil }
        switch action {
        case .asynchronous(let action): return try await action(unsafe error.readableContent(as: Input.self))
        default: preconditionFailure("the action isn't asynchronous or needs a report")
        }
    }

    override func prepareAction(
        on error: UnboxedError, _ reporter: inout DispatchReporter, isCertain: Bool
    ) -> PreparedAction.Closure? {
        guard let input = isCertain ? error.content(as: Input.self) : match(error, &reporter) else { return nil }
        switch action {
        case .asynchronous(let action): return { try await action(input) }
        case .asynchronousWithReport(let action):
            let report = reporter.report(of: error)
            return { try await action(input, report) }
        default: preconditionFailure("the action is synchronous")
        }
    }
}
