/// A rule of an error handler, whose action gets the matcher's output.
///
/// Each shape of action has a subclass, which stores the user's closure with its own type and calls it directly.
class ActionRule<Input: Sendable>: Rule, @unchecked Sendable {
    fileprivate final let matcher: RuleMatcher<Input>

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source) {
        self.matcher = RuleMatcher(matcher)
        super.init(shape: matcher.shape, source: source)
    }

    final override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }

    final override func act<Content: Error>(
        on content: Content, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        try matcher.handOn(content, error) { input in unsafe try perform(input, error, report) }
    }

    final override func act(
        onAny error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        try matcher.handOnAny(error) { input in unsafe try perform(input, error, report) }
    }

    final override func actIfMatching(
        _ subject: inout ErrorSubject, _ report: UnsafeMutablePointer<LazyReport>,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        guard let input = matcher.input(&subject) else { return .notMatched }
        // The matcher may have run a slow predicate meanwhile.
        if let supervisor, !supervisor.isCurrent { throw DispatchSuperseded() }
        return try unsafe perform(input, subject.error, report)
    }

    final override func actSuspending(
        _ subject: inout ErrorSubject, _ report: inout LazyReport, isCertain: Bool, watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        if isCertain {
            try watch?.actionWillBegin()
            return try await performSuspending(unsafe subject.error(as: Input.self), subject.error, &report)
        }
        guard let input = matcher.input(&subject) else { return .notMatched }
        try watch?.actionWillBegin()
        return try await performSuspending(input, subject.error, &report)
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
    override var alwaysStops: Bool { true }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) -> DispatchProgress.Answer { .ignored }
}

/// A rule with a synchronous action that gets the match alone.
final class SynchronousRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input) throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input) throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer { .init(try action(input)) }
}

/// A rule with a synchronous action that gets the match and its report.
final class SynchronousReportRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input, ErrorReport) throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input, ErrorReport) throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override var needsReport: Bool { true }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        guard let report = unsafe report else { preconditionFailure("a rule that needs a report is given one") }
        return try unsafe .init(report.pointee.lend(for: error) { report in try action(input, report) })
    }
}

/// A rule with an asynchronous action that gets the match alone.
final class AsynchronousRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input) async throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input) async throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override var isAsynchronous: Bool { true }

    override func actSuspending(on error: any Error) async throws -> DispatchProgress.Answer {
        .init(try await action(unsafe ErrorSubject.content(of: error, as: Input.self)))
    }

    override func performSuspending(
        _ input: Input, _ error: any Error, _ report: inout LazyReport
    ) async throws -> DispatchProgress.Answer { .init(try await action(input)) }
}

/// A rule with an asynchronous action that gets the match and its report.
final class AsynchronousReportRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input, ErrorReport) async throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input, ErrorReport) async throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override var isAsynchronous: Bool { true }
    override var needsReport: Bool { true }

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
