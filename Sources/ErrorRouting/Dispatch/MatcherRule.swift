/// A rule that does something with its matcher's output; subclasses define what.
class MatcherRule<Input: Sendable>: Rule, @unchecked Sendable {
    final let matcher: ErrorMatcher<Input>
    private final let asksUser: Bool
    private final let handsOnAnyError = Input.self == (any Error).self

    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ traits: Traits = Traits()) {
        self.matcher = matcher
        asksUser = matcher.shape.asksUser
        super.init(matcher.shape, at: source, traits)
    }

    final override func matches(_ subject: inout ErrorSubject) -> Bool { input(&subject) != nil }

    /// Returns the matcher's output; nil if it does not match, or if matchers recurse too deep to ask it.
    private final func input(_ subject: inout ErrorSubject) -> Input? {
        guard asksUser else { return matcher.evaluate(&subject) }
        guard let entry = PerThread.enterMatcher() else { return nil }
        let input = matcher.evaluate(&subject)
        PerThread.leaveMatcher(entry)
        return input
    }

    override func act<Content: Error>(
        on content: Content, _ error: any Error, _ target: UnsafeMutableRawPointer?
    ) throws -> DispatchProgress.Answer {
        try handOn(content, error) { input in unsafe try perform(input, error, target) }
    }

    /// Calls a closure with an error that is certain to match, as the matcher's output: without a cast at run time.
    ///
    /// - Precondition: The content of the box is an `Input`, or `Input` is `any Error`.
    @inline(__always)
    private final func handOn<Content: Error, Result>(
        _ content: Content, _ error: any Error, to receive: (Input) throws -> Result
    ) rethrows -> Result {
        assert(handsOnAnyError || type(of: content) is Input.Type, "\(Content.self) was taken for \(Input.self)")
        if handsOnAnyError {
            // By its address, since a generic function that is passed `any Error` may get the content of its box.
            return try unsafe withUnsafePointer(to: error) { error in
                try unsafe receive(UnsafeRawPointer(error).assumingMemoryBound(to: Input.self).pointee)
            }
        }
        return try unsafe receive(unsafeBitCast(content, to: Input.self))
    }

    final override func actIfMatching(
        _ error: any Error, _ report: UnsafeMutablePointer<LazyReport>, under supervisor: (any ActionSupervisor)?
    ) throws -> DispatchProgress.Answer {
        guard let input = unsafe report.pointee.ask(error, input) else { return .notMatched }
        // The matcher may have run a slow predicate meanwhile.
        if let supervisor, !supervisor.isCurrent { throw DispatchSuperseded() }
        return try unsafe perform(input, error, LazyReport.target(report))
    }

    final override func actSuspending(
        _ error: any Error, _ report: inout LazyReport, isCertain: Bool, watch: ActionWatch?
    ) async throws -> DispatchProgress.Answer {
        if isCertain {
            try watch?.actionWillBegin()
            return try await performSuspending(unsafe ErrorSubject.content(of: error, as: Input.self), error, &report)
        }
        guard let input = report.ask(error, input) else { return .notMatched }
        try watch?.actionWillBegin()
        return try await performSuspending(input, error, &report)
    }

    /// Applies the rule to the matcher's output, without suspending.
    ///
    /// - Parameters:
    ///   - input: The matcher's output.
    ///   - error: The error.
    ///   - target: As in ``act(on:_:_:)``.
    func perform(
        _ input: Input, _ error: any Error, _ target: UnsafeMutableRawPointer?
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
