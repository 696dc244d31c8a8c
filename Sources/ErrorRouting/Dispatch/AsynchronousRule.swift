/// A rule with an asynchronous action that receives only the match.
@usableFromInline
final class AsynchronousRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {  // As `Rule`.
    @usableFromInline
    typealias Action = @Sendable (Input) async throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true))
    }

    override func actSuspending(on error: UnboxedError) async throws -> HandleStrategy? {
        // An optional of the input's type would be looked up for each error.
        guard error.isReadable(as: Input.self) else { return nil }
        return try await action(unsafe error.readableContent(as: Input.self))
    }

    override func performSuspending(_ input: Input, _ report: () -> ErrorReport) async throws -> HandleStrategy {
        try await action(input)
    }
}

/// A rule with an asynchronous action that receives the match and its report.
@usableFromInline
final class AsynchronousReportRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {  // As `Rule`.
    @usableFromInline
    typealias Action = @Sendable (Input, ErrorReport) async throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true, needsReport: true))
    }

    override func performSuspending(_ input: Input, _ report: () -> ErrorReport) async throws -> HandleStrategy {
        try await action(input, report())
    }
}
