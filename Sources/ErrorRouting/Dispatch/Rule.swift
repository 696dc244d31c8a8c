/// One rule: what it matches, and what it is called; its subclass knows what it does.
///
/// An object with methods, and no struct of closures: dispatches read rules through unmanaged references and call a
/// method without retaining anything, so that concurrent ones share nothing that they write to.
///
/// Unchecked, since a class with subclasses cannot be checked; all of them have nothing but constants.
class Rule: @unchecked Sendable {
    let shape: MatcherShape
    let registration: RuleRegistration

    init(shape: MatcherShape, source: ErrorReport.Source) {
        self.shape = shape
        registration = RuleRegistration(shape: shape, source: source)
    }

    /// Whether the rule matches.
    ///
    /// Whatever it does, it does not do it.
    func matches(_ subject: inout ErrorSubject) -> Bool { overridden() }

    /// Whether the rule stops every error that it matches, which can be known only of `ignore`.
    var alwaysStops: Bool { false }

    /// Whether what the rule does may suspend.
    var isAsynchronous: Bool { false }

    /// Whether the action gets the report.
    var takesReport: Bool { false }

    /// Does what the rule does with an error that it is known to match, and to hand on as it is, without suspending.
    ///
    /// - Parameters:
    ///   - content: What is in the error's box.
    ///   - error: The error.
    ///   - report: Its report; nil for a rule that takes none.
    func act<Content: Error>(
        on content: Content, _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>?
    ) throws -> DispatchProgress.Answer {
        overridden()
    }

    /// Asks the matcher and, where it matches, does what the rule does without suspending.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - report: Its report.
    ///   - supervisor: Whoever may take the dispatch away.
    func actIfMatching(
        _ subject: inout ErrorSubject, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        overridden()
    }

    /// Does what the rule does with an error that it is known to match, and to hand on as it is, where it takes no
    /// report.
    func actSuspending(on error: any Error) async throws -> DispatchProgress.Answer { overridden() }

    /// Asks the matcher unless the match is certain and, where it matches, does what the rule does.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - report: Its report.
    ///   - isCertain: Whether the rule is known to match, and to hand the error on as it is.
    ///   - watch: Told between the match and the action: predicates do not count into an action's time.
    func actSuspending(
        _ subject: inout ErrorSubject, _ report: inout LazyReport, isCertain: Bool, watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        overridden()
    }

    /// Stands in for a method that every subclass in use has of its own.
    final func overridden(_ name: StaticString = #function) -> Never {
        fatalError("\(type(of: self)) does not override \(name)")
    }
}

/// A matcher within a rule.
struct RuleMatcher<Input: Sendable>: Sendable {
    private let evaluate: @Sendable (inout ErrorSubject) -> Input?
    private let handsOnAnyError = Input.self == (any Error).self
    private let asksUser: Bool

    init(_ matcher: ErrorMatcher<Input>) {
        evaluate = matcher.evaluate
        asksUser = matcher.shape.asksUser
    }

    /// Calls a closure with an error that is certain to match, as what the matcher hands on: nothing is copied, and
    /// nothing cast.
    ///
    /// - Precondition: What is in the box is an `Input`, or `Input` is `any Error`.
    @inline(__always)
    func handOn<Content: Error, Result>(
        _ content: Content, _ error: any Error, to receive: (Input) throws -> Result
    ) rethrows -> Result {
        assert(handsOnAnyError || type(of: content) is Input.Type, "\(Content.self) was taken for \(Input.self)")
        // By its address: a generic function that is handed the error may be handed what is in it.
        if handsOnAnyError {
            return try unsafe withUnsafePointer(to: error) { error in
                try unsafe receive(UnsafeRawPointer(error).assumingMemoryBound(to: Input.self).pointee)
            }
        }
        return try unsafe receive(unsafeBitCast(content, to: Input.self))
    }

    /// What the matcher hands on, or nil where it does not match.
    func input(_ subject: inout ErrorSubject) -> Input? {
        guard asksUser else { return evaluate(&subject) }
        guard let entry = PerThread.enterMatcher() else { return nil }
        let input = evaluate(&subject)
        PerThread.leaveMatcher(entry)
        return input
    }

    func matches(_ subject: inout ErrorSubject) -> Bool { input(&subject) != nil }
}
