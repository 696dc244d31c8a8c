/// A rule of an error handler, whose action gets the matcher's output.
///
/// Each shape of action has a subclass, which stores the user's closure with its own type and calls it directly.
class ActionRule<Input: Sendable>: Rule, @unchecked Sendable {
    fileprivate final let matcher: RuleMatcher<Input>

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ traits: Traits) {
        self.matcher = RuleMatcher(matcher)
        super.init(matcher.shape, at: source, traits)
    }

    final override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }

    final override func act<Content: Error>(
        on content: Content, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) throws -> DispatchProgress.Answer {
        try matcher.handOn(content, error) { input in
            unsafe try perform(input, error, target?.assumingMemoryBound(to: LazyReport.self))
        }
    }

    final override func actIfMatching(
        _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>, under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        guard let input = unsafe report.pointee.ask(error, matcher.input) else { return .notMatched }
        // The matcher may have run a slow predicate meanwhile.
        if let supervisor, !supervisor.isCurrent { throw DispatchSuperseded() }
        return try unsafe perform(input, error, report)
    }

    final override func actSuspending(
        _ error: any Error, _ report: inout LazyReport, isCertain: Bool, watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        if isCertain {
            try watch?.actionWillBegin()
            return try await performSuspending(unsafe ErrorSubject.content(of: error, as: Input.self), error, &report)
        }
        guard let input = report.ask(error, matcher.input) else { return .notMatched }
        try watch?.actionWillBegin()
        return try await performSuspending(input, error, &report)
    }

    /// Applies the rule to the matcher's output, without suspending.
    func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        mustBeOverridden()
    }

    /// Applies the rule to the matcher's output; may suspend.
    func performSuspending(
        _ input: Input, _ error: any Error, _ report: inout LazyReport
    ) async throws -> DispatchProgress.Answer {
        mustBeOverridden()
    }
}

/// A rule that stops the errors it matches, and runs no action.
final class IgnoreRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source) {
        super.init(matcher, at: source, Traits(alwaysStops: true))
    }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) -> DispatchProgress.Answer { .ignored }
}

/// A rule with a synchronous action that gets the match alone.
final class SynchronousRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    typealias Action = @Sendable (Input) throws -> HandleStrategy

    private let action: Action

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits())
    }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer { .init(try action(input)) }
}

/// A rule with a synchronous action that gets the match and its report.
final class SynchronousReportRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    typealias Action = @Sendable (Input, ErrorReport) throws -> HandleStrategy

    private let action: Action

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(needsReport: true))
    }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        guard let report = unsafe report else { preconditionFailure("a rule that needs a report is given one") }
        return try unsafe .init(report.pointee.lend(for: error) { report in try action(input, report) })
    }
}

/// A rule with an asynchronous action that gets the match alone.
final class AsynchronousRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
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
final class AsynchronousReportRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
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
