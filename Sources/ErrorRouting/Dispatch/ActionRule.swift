/// A rule of an error handler: an action gets what its matcher hands on.
///
/// Each shape of action has a subclass, which calls the user's closure as it is.
class ActionRule<Input: Sendable>: Rule, @unchecked Sendable {
    final let matcher: RuleMatcher<Input>

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source) {
        self.matcher = RuleMatcher(matcher)
        super.init(shape: matcher.shape, source: source)
    }

    final override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.matches(&subject) }
}

/// A rule that stops what it matches, and does nothing.
final class IgnoreRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    override var alwaysStops: Bool { true }

    override func answerSynchronously(
        _ subject: inout ErrorSubject,
        _ report: inout LazyReport,
        isCertain: Bool,
        under supervisor: (any ActionSupervisor)?
    ) -> DispatchProgress.Answer {
        isCertain || matcher.matches(&subject) ? .ignored : .notMatched
    }
}

/// A rule with a synchronous action that takes the match alone.
final class SynchronousRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input) throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>,
        at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input) throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override func answerSynchronously(
        _ subject: inout ErrorSubject,
        _ report: inout LazyReport,
        isCertain: Bool,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        guard matcher.isSettled(for: subject, isCertain: isCertain) else {
            return try answerIfMatching(&subject, under: supervisor)
        }
        try supervisor?.checkCurrent()
        return .init(try unsafe action(subject.error(as: Input.self)))
    }

    /// Apart, since what a matcher hands on is an optional of a type that is looked up at every call.
    @inline(never)
    private func answerIfMatching(
        _ subject: inout ErrorSubject,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        guard let input = matcher.input(&subject) else { return .notMatched }
        try supervisor?.checkCurrent()
        return .init(try action(input))
    }
}

/// A rule with a synchronous action that takes the match and its report.
final class SynchronousReportRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input, ErrorReport) throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>,
        at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input, ErrorReport) throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override func answerSynchronously(
        _ subject: inout ErrorSubject,
        _ report: inout LazyReport,
        isCertain: Bool,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        let isSettled = matcher.isSettled(for: subject, isCertain: isCertain)
        guard let input = isSettled ? unsafe subject.error(as: Input.self) : matcher.input(&subject) else {
            return .notMatched
        }
        try supervisor?.checkCurrent()
        return .init(try action(input, report.made(for: subject.error)))
    }
}

/// A rule with an asynchronous action.
final class AsynchronousRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input, ErrorReport) async throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>,
        at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input, ErrorReport) async throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override var isAsynchronous: Bool { true }

    override func answer(
        _ subject: inout ErrorSubject,
        _ report: ErrorReport,
        isCertain: Bool,
        watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        let isSettled = matcher.isSettled(for: subject, isCertain: isCertain)
        guard let input = isSettled ? unsafe subject.error(as: Input.self) : matcher.input(&subject) else {
            return .notMatched
        }
        try watch?.actionWillBegin()
        return .init(try await action(input, report))
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
