/// One rule: what it matches, and its description; subclasses define what it does.
///
/// A class with methods and no struct of closures: dispatches call the methods through unmanaged references and retain
/// nothing, so that concurrent dispatches write to no memory that they share.
///
/// Unchecked, since the compiler cannot check a class that has subclasses; all stored properties are constants.
class Rule: @unchecked Sendable {
    let shape: MatcherShape
    let registration: RuleRegistration

    init(shape: MatcherShape, source: ErrorReport.Source) {
        self.shape = shape
        registration = RuleRegistration(shape: shape, source: source)
    }

    /// Returns whether the rule matches; runs no action.
    func matches(_ subject: inout ErrorSubject) -> Bool { mustBeOverridden() }

    /// Whether the rule is known to stop every error that it matches, as `ignore` does.
    var alwaysStops: Bool { false }

    /// Whether the rule's action may suspend.
    var isAsynchronous: Bool { false }

    /// Whether the rule's action gets the report.
    var needsReport: Bool { false }

    /// Applies the rule to an error that is certain to match (``RuleStep/isCertain``), without suspending.
    ///
    /// - Parameters:
    ///   - content: The content of the error's box.
    ///   - error: The error.
    ///   - report: The error's report; may be nil for a rule that needs none.
    func act<Content: Error>(
        on content: Content, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        mustBeOverridden()
    }

    /// Asks the matcher and, if it matches, applies the rule, without suspending.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - report: The error's report.
    ///   - supervisor: May supersede the dispatch.
    func actIfMatching(
        _ subject: inout ErrorSubject, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        mustBeOverridden()
    }

    /// Applies an asynchronous rule that needs no report to an error that is certain to match
    /// (``RuleStep/isCertain``).
    func actSuspending(on error: any Error) async throws -> DispatchProgress.Answer { mustBeOverridden() }

    /// Asks the matcher unless the error is certain to match and, if it matches, applies the asynchronous rule.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - report: The error's report.
    ///   - isCertain: Whether the error is certain to match (``RuleStep/isCertain``).
    ///   - watch: Told between the match and the action, since a predicate's time does not count as the action's.
    func actSuspending(
        _ subject: inout ErrorSubject, _ report: inout LazyReport, isCertain: Bool, watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        mustBeOverridden()
    }

    /// Traps; the body of methods that every subclass in use overrides.
    final func mustBeOverridden(_ name: StaticString = #function) -> Never {
        fatalError("\(type(of: self)) does not override \(name)")
    }
}

/// A rule's matcher.
struct RuleMatcher<Input: Sendable>: Sendable {
    private let evaluate: @Sendable (inout ErrorSubject) -> Input?
    private let handsOnAnyError = Input.self == (any Error).self
    private let asksUser: Bool

    init(_ matcher: ErrorMatcher<Input>) {
        evaluate = matcher.evaluate
        asksUser = matcher.shape.asksUser
    }

    /// Calls a closure with an error that is certain to match, as the matcher's output: without a copy, and without a
    /// cast at run time.
    ///
    /// - Precondition: The content of the box is an `Input`, or `Input` is `any Error`.
    @inline(__always)
    func handOn<Content: Error, Result>(
        _ content: Content, _ error: any Error, to receive: (Input) throws -> Result
    ) rethrows -> Result {
        assert(handsOnAnyError || type(of: content) is Input.Type, "\(Content.self) was taken for \(Input.self)")
        // By its address, since a generic function that is passed `any Error` may get the content of its box instead.
        if handsOnAnyError {
            return try unsafe withUnsafePointer(to: error) { error in
                try unsafe receive(UnsafeRawPointer(error).assumingMemoryBound(to: Input.self).pointee)
            }
        }
        return try unsafe receive(unsafeBitCast(content, to: Input.self))
    }

    /// Returns the matcher's output; nil if it does not match, or if matchers recurse too deep to ask it.
    func input(_ subject: inout ErrorSubject) -> Input? {
        guard asksUser else { return evaluate(&subject) }
        guard let entry = PerThread.enterMatcher() else { return nil }
        let input = evaluate(&subject)
        PerThread.leaveMatcher(entry)
        return input
    }

    func matches(_ subject: inout ErrorSubject) -> Bool { input(&subject) != nil }
}
