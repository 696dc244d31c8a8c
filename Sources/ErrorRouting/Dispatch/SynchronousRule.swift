/// A rule with a synchronous action that receives only the match.
///
/// Each combination of inputs has its own class, which stores the user's closure with its own type and calls it
/// directly.
@usableFromInline
final class SynchronousRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {  // See `Rule`.
    @usableFromInline
    typealias Action = @Sendable (Input) throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source)
    }

    @usableFromInline
    init(type: Input.Type, at source: ErrorReport.Source, _ action: @escaping Action) where Input: Error {
        self.action = action
        super.init(type: type, at: source)
    }

    /// Creates a rule that ignores the errors that it matches.
    @usableFromInline
    init(ignoring matcher: ErrorMatcher<Input>, at source: ErrorReport.Source) {
        action = { _ in .stop }
        super.init(matcher, at: source, Traits(ignores: true))
    }

    /// Creates a rule that expects the errors that it matches: they count as handled.
    @usableFromInline
    init(expecting matcher: ErrorMatcher<Input>, at source: ErrorReport.Source) {
        action = { _ in .stop }
        super.init(matcher, at: source, Traits(expects: true))
    }

    // Override this method so that it calls the action directly.
    override func callAction<Content: Error>(
        on content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy? { try BoxContent.read(content, error, as: Input.self, action) }

    override func callAction(
        _ input: Input, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy { try action(input) }
}

/// A rule with a synchronous action that receives the match and its report.
@usableFromInline
final class SynchronousReportRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {  // See `Rule`.
    @usableFromInline
    typealias Action = @Sendable (Input, ErrorReport) throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(needsReport: true))
    }

    override func callAction(
        _ input: Input, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy {
        try reporter.withReport(of: error) { report in try action(input, report) }
    }
}
