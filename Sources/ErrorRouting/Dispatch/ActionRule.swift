// The rules of an error handler: each shape of action has a class, which stores the user's closure with its own type and
// calls it directly.

/// A rule that stops the errors it matches, and runs no action.
@usableFromInline
final class IgnoreRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source) {
        super.init(matcher, at: source, Traits(alwaysStops: true))
    }

    override func perform(_ input: Input, _ error: any Error, _ report: inout LazyReport) -> DispatchProgress.Answer {
        .ignored
    }
}

/// A rule with a synchronous action that gets the match alone.
@usableFromInline
final class SynchronousRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    @usableFromInline
    typealias Action = @Sendable (Input) throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source)
    }

    // Overridden, so that it calls the action directly.
    override func act<Content: Error>(
        on content: Content, _ error: any Error, _ report: inout LazyReport
    ) throws -> DispatchProgress.Answer { try matcher.handOn(content, error) { try perform($0, error, &report) } }

    override func perform(
        _ input: Input, _ error: any Error, _ report: inout LazyReport
    ) throws -> DispatchProgress.Answer { .init(try action(input)) }
}

/// A rule with a synchronous action that gets the match and its report.
@usableFromInline
final class SynchronousReportRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    @usableFromInline
    typealias Action = @Sendable (Input, ErrorReport) throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(needsReport: true))
    }

    // Overridden, so that it calls the action directly.
    override func act<Content: Error>(
        on content: Content, _ error: any Error, _ report: inout LazyReport
    ) throws -> DispatchProgress.Answer {
        try matcher.handOn(content, error) { try perform($0, error, &report) }
    }

    override func perform(
        _ input: Input, _ error: any Error, _ report: inout LazyReport
    ) throws -> DispatchProgress.Answer {
        try .init(report.lend(for: error) { report in try action(input, report) })
    }
}

/// A rule with an asynchronous action that gets the match alone.
@usableFromInline
final class AsynchronousRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    @usableFromInline
    typealias Action = @Sendable (Input) async throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true))
    }

    override func actSuspending(on error: any Error) async throws -> DispatchProgress.Answer {
        .init(try await action(unsafe ErrorSubject.content(of: error, as: Input.self)))
    }

    override func actSuspending(
        _ error: any Error, _ report: inout LazyReport, isCertain: Bool, watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        if isCertain {
            try watch?.actionWillBegin()
            return try await actSuspending(on: error)
        }
        guard let input = report.ask(error, matcher.input) else { return .notMatched }
        try watch?.actionWillBegin()
        return .init(try await action(input))
    }
}

/// A rule with an asynchronous action that gets the match and its report.
@usableFromInline
final class AsynchronousReportRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    @usableFromInline
    typealias Action = @Sendable (Input, ErrorReport) async throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true, needsReport: true))
    }

    override func actSuspending(
        _ error: any Error, _ report: inout LazyReport, isCertain: Bool, watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        if isCertain {
            try watch?.actionWillBegin()
            let input = unsafe ErrorSubject.content(of: error, as: Input.self)
            return .init(try await action(input, report.made(for: error)))
        }
        guard let input = report.ask(error, matcher.input) else { return .notMatched }
        try watch?.actionWillBegin()
        return .init(try await action(input, report.made(for: error)))
    }
}

extension DispatchProgress.Answer {
    fileprivate init(_ strategy: HandleStrategy) {
        self =
            switch strategy {
            case .next: .next
            case .stop: .stop
            }
    }
}
