/// A rule with an asynchronous action that receives only the match.
@usableFromInline
final class AsynchronousRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {  // As `Rule`.
    @usableFromInline
    typealias Action = @Sendable (Input) async throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true))
    }

    override func callAsyncAction(on error: UnboxedError) async throws -> HandleStrategy? {
        // An optional of the input's type would be looked up for each error.
        guard error.isReadable(as: Input.self) else { return nil }
        return try await action(unsafe error.readableContent(as: Input.self))
    }

    override func callAsyncAction(_ input: Input, _ report: () -> ErrorReport) async throws -> HandleStrategy {
        try await action(input)
    }
}

/// A rule with an asynchronous action that receives the match and its report.
@usableFromInline
final class AsynchronousReportRule<Input: Sendable>: MatcherRule<Input>, @unchecked Sendable {  // As `Rule`.
    @usableFromInline
    typealias Action = @Sendable (Input, ErrorReport) async throws -> HandleStrategy

    private let action: Action

    @usableFromInline
    init(_ matcher: ErrorMatcher<Input>, at source: ErrorReport.Source, _ action: @escaping Action) {
        self.action = action
        super.init(matcher, at: source, Traits(isAsynchronous: true, needsReport: true))
    }

    override func callAsyncAction(_ input: Input, _ report: () -> ErrorReport) async throws -> HandleStrategy {
        try await action(input, report())
    }
}

/// An object that runs asynchronous actions within a time limit and that can take a dispatch's report back; such a
/// dispatch stops, and its outcome is discarded.
protocol ActionSupervisor: AnyObject, Sendable {
    /// Whether the report was taken back, so that no further rule begins.
    var isTakenBack: Bool { get }

    /// Records that a synchronous action has failed, as soon as it has.
    func actionDidFail(_ failure: ActionFailure)

    /// Runs an asynchronous action in a task of its own and waits until it ends or is abandoned.
    func run(_ action: PreparedAction) async -> ActionEnd
}

/// An asynchronous action with its inputs.
struct PreparedAction: Sendable {
    let rule: Rule
    let report: ErrorReport
    let run: @Sendable () async throws -> HandleStrategy

    /// Returns the action's failure with an error.
    func failure(_ error: any Error) -> ActionFailure {
        ActionFailure(error: error, report: report, rule: rule.registration.description)
    }
}

/// The end of an asynchronous action, as its supervisor sees it.
enum ActionEnd: Sendable {
    case returned(HandleStrategy)
    /// The action has thrown, or it has exceeded its time limit; the supervisor has recorded the failure.
    case failed(ActionFailure)
    /// The report was taken back.
    case takenBack
}
