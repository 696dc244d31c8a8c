/// A matcher as a rule asks it, without its shape, which the rule's registration has; and the errors that are certain to
/// match as its output.
struct RuleMatcher<Input: Sendable>: Sendable {
    let evaluation: ErrorMatcher<Input>.Evaluation
    private let handsOnAnyError = Input.self == (any Error).self

    /// - Parameters:
    ///   - matcher: The matcher.
    ///   - requirement: What it requires of an error's type.
    @inline(__always)
    init(_ matcher: ErrorMatcher<Input>, _ requirement: MatcherShape.Requirement) {
        evaluation = matcher.evaluation
    }

    /// Returns the matcher's output; nil if it does not match, or if matchers recurse too deep to ask it.
    func input(_ subject: inout ErrorSubject) -> Input? {
        guard let entry = PerThread.enterMatcher() else { return nil }
        let input = ErrorMatcher.evaluate(evaluation, &subject)
        PerThread.leaveMatcher(entry)
        return input
    }

    /// Calls a closure with an error that is certain to match, as the matcher's output: without a cast at run time.
    ///
    /// - Precondition: The content of the box is an `Input`, or `Input` is `any Error`.
    @inline(__always)
    func handOn<Content: Error, Result>(
        _ content: Content, _ error: any Error, to receive: (Input) throws -> Result
    ) rethrows -> Result {
        handsOnAnyError
            ? try receive(unsafe BoxContent.box(of: error, as: Input.self))
            : try receive(unsafe BoxContent.content(content, as: Input.self))
    }
}

/// A rule with an action that gets its matcher's output; subclasses define the action.
@usableFromInline
class MatcherRule<Input: Sendable>: Rule, @unchecked Sendable {
    final let matcher: RuleMatcher<Input>

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ traits: Traits = Traits()) {
        let requirement = matcher.shape.requirement
        self.matcher = RuleMatcher(matcher, requirement)
        super.init(matcher.shape, requirement, at: source, traits)
    }

    final override func matches(_ subject: inout ErrorSubject) -> Bool { matcher.input(&subject) != nil }

    override func act<Content: Error>(
        on content: Content, _ error: any Error, _ report: inout LazyReport
    ) throws -> HandleStrategy {
        try matcher.handOn(content, error) { input in try perform(input, error, &report) }
    }

    final override func actIfMatching(
        _ error: any Error, _ report: inout LazyReport, under supervisor: (any ActionSupervisor)?
    ) throws -> HandleStrategy? {
        guard let input = report.ask(error, matcher.input) else { return nil }
        // The matcher may have run a slow predicate meanwhile.
        if let supervisor, !supervisor.isCurrent { throw DispatchSuperseded() }
        return try perform(input, error, &report)
    }

    /// Applies the rule to the matcher's output, without suspending.
    ///
    /// - Parameters:
    ///   - input: The matcher's output.
    ///   - error: The error.
    ///   - report: The error's report.
    func perform(_ input: Input, _ error: any Error, _ report: inout LazyReport) throws -> HandleStrategy {
        mustBeOverridden()
    }
}
