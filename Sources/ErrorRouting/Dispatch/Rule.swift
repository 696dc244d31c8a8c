/// One rule: what it matches, what it does, and what it is called.
///
/// An object, so that copying a handler and reading a rule move one reference, and so that outcomes can name the rule
/// without building anything.
final class Rule: Sendable {
    /// What a rule does with an error.
    ///
    /// Each closure answers nil where the rule does not match.
    enum Body: Sendable {
        case ignore(@Sendable (inout ErrorSubject) -> Bool)
        case synchronous(
            @Sendable (inout ErrorSubject, ErrorReport, (any ActionSupervisor)?) throws -> HandleStrategy?
        )
        case asynchronous(@Sendable (inout ErrorSubject, ErrorReport, ActionWatch?) async throws -> HandleStrategy?)
    }

    let description: RuleDescription
    let body: Body
    private let evaluate: @Sendable (inout ErrorSubject) -> Bool

    init<Input>(_ matcher: ErrorMatcher<Input>, _ action: Action<Input>, at source: ErrorReport.Source) {
        let match = matcher.evaluate
        description = RuleDescription(shape: matcher.shape, source: source)
        evaluate = { match(&$0) != nil }
        body =
            switch action {
            case .ignore:
                .ignore { match(&$0) != nil }
            case .synchronous(let action):
                .synchronous { subject, report, supervisor in
                    guard let input = match(&subject) else { return nil }
                    // Asked between the match and the action: a predicate may have taken its time.
                    if let supervisor, !supervisor.isCurrent { throw DispatchSuperseded() }
                    return try action(input, report)
                }
            case .asynchronous(let action):
                .asynchronous { subject, report, watch in
                    guard let input = match(&subject) else { return nil }
                    // Told between the match and the action: predicates do not count into an action's time.
                    try watch?.actionWillBegin()
                    return try await action(input, report)
                }
            }
    }

    /// Whether the rule matches; its action does not run.
    func matches(_ subject: inout ErrorSubject) -> Bool { evaluate(&subject) }

    var isAsynchronous: Bool {
        if case .asynchronous = body { true } else { false }
    }

    /// Whether the rule stops every error that it matches, which can be known only of `ignore`.
    var alwaysStops: Bool {
        if case .ignore = body { true } else { false }
    }
}
