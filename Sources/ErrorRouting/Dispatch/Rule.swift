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

    /// Asks the matcher and, where it matches, does what the rule does without suspending.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - report: Its report.
    ///   - isCertain: Whether the rule is known to match, and to hand the error on as it is.
    ///   - supervisor: Whoever may take the dispatch away.
    func answerSynchronously(
        _ subject: inout ErrorSubject,
        _ report: inout LazyReport,
        isCertain: Bool,
        under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        overridden()
    }

    /// Asks the matcher and, where it matches, does what the rule does.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - report: Its report.
    ///   - isCertain: Whether the rule is known to match, and to hand the error on as it is.
    ///   - watch: Told between the match and the action: predicates do not count into an action's time.
    func answer(
        _ subject: inout ErrorSubject,
        _ report: ErrorReport,
        isCertain: Bool,
        watch: ActionWatch?
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
    private let handsOnObjects = Input.self is AnyClass
    private let asksUser: Bool

    init(_ matcher: ErrorMatcher<Input>) {
        evaluate = matcher.evaluate
        asksUser = matcher.shape.asksUser
    }

    /// Whether the matcher need not be asked: what it hands on is the error as it is.
    ///
    /// - Parameters:
    ///   - subject: The error.
    ///   - isCertain: What the plan for the error's dynamic type says of the rule. That is enough where objects are
    ///     handed on: the dynamic type then inherits from theirs. For values the box itself has to have the type.
    @inline(__always)
    func isSettled(for subject: borrowing ErrorSubject, isCertain: Bool) -> Bool {
        isCertain && (handsOnObjects || subject.isExactly(Input.self))
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
