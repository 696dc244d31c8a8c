/// A rule of an error handler: an action gets what its matcher hands on.
///
/// Each shape of action has a subclass, which calls the user's closure as it is.
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
        // A predicate may have taken its time.
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

    /// What the rule does, where it does not suspend.
    func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        overridden()
    }

    /// What the rule does, where it may suspend.
    func performSuspending(
        _ input: Input, _ error: any Error, _ report: inout LazyReport
    ) async throws -> DispatchProgress.Answer {
        overridden()
    }
}

/// A rule that stops what it matches, and does nothing.
final class IgnoreRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    override var alwaysStops: Bool { true }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) -> DispatchProgress.Answer { .ignored }
}

/// A rule with a synchronous action that takes the match alone.
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

/// A rule with a synchronous action that takes the match and its report.
final class SynchronousReportRule<Input: Sendable>: ActionRule<Input>, @unchecked Sendable {
    private let action: @Sendable (Input, ErrorReport) throws -> HandleStrategy

    init(
        _ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source,
        _ action: @escaping @Sendable (Input, ErrorReport) throws -> HandleStrategy
    ) {
        self.action = action
        super.init(matcher, at: source)
    }

    override var takesReport: Bool { true }

    override func perform(
        _ input: Input, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        guard let report = unsafe report else { preconditionFailure("a rule that takes a report is given one") }
        return .init(try action(input, unsafe report.pointee.made(for: error)))
    }
}

/// A rule with an asynchronous action that takes the match alone.
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

/// A rule with an asynchronous action that takes the match and its report.
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
    override var takesReport: Bool { true }

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
