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

    final override func actIfMatching(
        _ subject: inout ErrorSubject, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        guard let input = matcher.input(&subject) else { return .notMatched }
        // The matcher may have run a slow predicate meanwhile.
        if let supervisor, !supervisor.isCurrent { throw DispatchSuperseded() }
        let error = subject.error
        return try unsafe withUnsafeMutablePointer(to: &report) { try unsafe perform(input, error, $0) }
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
        return .init(try action(input, unsafe report.pointee.made(for: error)))
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

// MARK: - Supervision

/// An object that limits the time of asynchronous actions, and may supersede a dispatch, which then stops and whose
/// outcome is discarded.
protocol ActionSupervisor: AnyObject, Sendable {
    /// Runs an operation, marked as being inside one of the supervisor's actions.
    func supervising<Result>(
        _ report: ErrorReport,
        _ operation: () async throws -> Result
    ) async rethrows -> Result

    /// Notes that an asynchronous action is about to begin.
    ///
    /// - Returns: Whether the action may begin; false if the dispatch was superseded.
    func actionWillBegin(_ action: SupervisedAction) -> Bool

    /// Notes that the asynchronous action has returned or thrown.
    ///
    /// - Returns: Whether the dispatch was still current; if so, only the caller knows what the action has thrown.
    func actionDidEnd() -> Bool

    /// Whether the dispatch is still current; false if it was superseded.
    var isCurrent: Bool { get }

    /// Whether the task of the dispatch was cancelled, by an action or because the dispatch was superseded: no
    /// asynchronous action may begin in it.
    var isTaskCancelled: Bool { get }
}

/// An asynchronous action of a report: all that another worker needs to go on after it.
struct SupervisedAction {
    let rule: Rule
    let progress: DispatchProgress
    let report: ErrorReport
}

/// A supervisor, and the action of which it has to be told.
struct ActionWatch {
    let supervisor: any ActionSupervisor
    let action: SupervisedAction

    func actionWillBegin() throws(DispatchSuperseded) {
        if !supervisor.actionWillBegin(action) { throw DispatchSuperseded() }
    }
}

/// Thrown between a match and its action, if the supervisor has superseded the dispatch.
struct DispatchSuperseded: Error {}
