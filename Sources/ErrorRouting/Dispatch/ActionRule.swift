// The rules of an error handler: each shape of action has a class, which stores the user's closure with its own type and
// calls it directly.

/// A rule that stops the errors it matches, and runs no action.
final class IgnoreRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source) {
        super.init(matcher, at: source, Traits(alwaysStops: true))
    }

    override func perform(
        _ input: Input, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) -> DispatchProgress.Answer { .ignored }
}

/// A rule with a synchronous action that gets the match alone.
final class SynchronousRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    typealias Action = @Sendable (Input) throws -> HandleStrategy

    private let action: Action

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source)
    }

    override func perform(
        _ input: Input, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) throws -> DispatchProgress.Answer { .init(try action(input)) }
}

/// A rule with a synchronous action that gets the match and its report.
final class SynchronousReportRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    typealias Action = @Sendable (Input, ErrorReport) throws -> HandleStrategy

    private let action: Action

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(needsReport: true))
    }

    override func perform(
        _ input: Input, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) throws -> DispatchProgress.Answer {
        guard let target = unsafe target else { preconditionFailure("a rule that needs a report is given one") }
        let report = unsafe target.assumingMemoryBound(to: LazyReport.self)
        return try unsafe .init(report.pointee.lend(for: error) { report in try action(input, report) })
    }
}

/// A rule with an asynchronous action that gets the match alone.
final class AsynchronousRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    typealias Action = @Sendable (Input) async throws -> HandleStrategy

    private let action: Action

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true))
    }

    override func actSuspending(on error: any Error) async throws -> DispatchProgress.Answer {
        .init(try await action(unsafe ErrorSubject.content(of: error, as: Input.self)))
    }

    override func performSuspending(
        _ input: Input, _ error: any Error, _ report: inout LazyReport
    ) async throws -> DispatchProgress.Answer { .init(try await action(input)) }
}

/// A rule with an asynchronous action that gets the match and its report.
final class AsynchronousReportRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {
    typealias Action = @Sendable (Input, ErrorReport) async throws -> HandleStrategy

    private let action: Action

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true, needsReport: true))
    }

    override func performSuspending(
        _ input: Input, _ error: any Error, _ report: inout LazyReport
    ) async throws -> DispatchProgress.Answer { .init(try await action(input, report.made(for: error))) }
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
