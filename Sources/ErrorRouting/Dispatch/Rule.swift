import Foundation

/// A rule with its conditions and its description; subclasses define its effect.
///
/// It is a class with methods and not a struct of closures. Dispatches call the methods through unmanaged references
/// and don't retain the rule, so concurrent dispatches don't write to shared memory.
///
/// `@unchecked` because the compiler can't check a class with subclasses.
@usableFromInline
class Rule: @unchecked Sendable {  // All stored properties are constants.
    /// The traits of a rule's action.
    struct Traits {
        /// Whether the action can suspend.
        var isAsynchronous = false
        /// Whether the action receives the report.
        var needsReport = false
        /// What the rule does with the errors that it matches, if it only stops them; nil if it has an action.
        var stop: Stop?
    }

    /// What a rule without an action does with the errors that it matches.
    @usableFromInline
    enum Stop: Sendable {
        case ignoring
        case expecting

        var decision: Decision {
            switch self {
            case .ignoring: .ignored
            case .expecting: .handled
            }
        }

        /// The verbs that name it in a handler's description and in an explanation.
        var verbs: (inHandler: String, inExplanation: String) {
            switch self {
            case .ignoring: ("ignore ", "ignores the error")
            case .expecting: ("expecting ", "expects the error")
            }
        }
    }

    final let shape: MatcherShape
    final let source: ErrorReport.Source
    private final let originalDescription = SetOnce<RuleDescription.Storage>()
    private final let threadsDescriptions = SetOnce<DescriptionCopies>()
    final let traits: Traits
    /// The type that an error must have; nil if errors of several types can match.
    final let requiredType: ObjectIdentifier?
    /// How the matcher's output is found.
    final let test: MatcherTest
    /// The matcher's predicate.
    final let predicate: ErrorPredicate

    /// Creates a rule for the errors that a matcher matches.
    ///
    /// The initializer is inlined, so that a rule that needs only a matcher's parts doesn't create the matcher.
    @inline(__always)
    init<Output>(_ matcher: ErrorMatcher<Output>, at source: ErrorReport.Source, _ traits: Traits = Traits()) {
        self.traits = traits
        (requiredType, test, predicate) = (matcher.requiredType, matcher.test, matcher.predicate)
        (shape, self.source) = (matcher.shape, source)
    }

    // MARK: The description

    /// The original description, for failures and explanations, which are rare.
    final var description: RuleDescription {
        let original = originalDescription.borrowed ?? originalDescription.set(.init(shape: shape, source: source))
        return RuleDescription(storage: original.object)
    }

    /// The address of the original description, which identifies the rule; 0 until the description is created.
    @inline(__always)
    final var knownIdentity: UInt { originalDescription.borrowed?.address ?? 0 }

    /// The calling thread's copy of the description, for outcomes: every handled error needs a copy.
    final var threadsOwnDescription: RuleDescription {
        threadsDescriptions.borrowed?.read { $0.threadsOwn } ?? firstDescription()
    }

    /// Returns the original for the first outcome and allocates the copies for the second outcome.
    ///
    /// Most handlers that are created for a request never have a second outcome.
    @inline(never)
    private final func firstDescription() -> RuleDescription {
        if originalDescription.borrowed == nil { return description }
        return threadsDescriptions.set(DescriptionCopies(of: description.storage)).read { $0.threadsOwn }
    }

    // MARK: Matching

    /// How a dispatch finds out whether the rule matches an error of the required type.
    ///
    /// If the type alone doesn't decide, a dispatch calls an asynchronous rule's matcher right before the action.
    final var dispatchTest: MatcherTest { traits.isAsynchronous && test != .certain ? .closure : test }

    /// Whether an error of a type might match; doesn't run user code.
    final func mayMatch(_ type: Any.Type) -> Bool { requiredType.map { $0 == ObjectIdentifier(type) } ?? true }

    /// Calls the matcher and returns whether it matches.
    ///
    /// Only an explanation calls this method. It enters user code once for all rules.
    func callMatcher(_ subject: inout ErrorSubject) -> Bool { mustBeOverridden() }

    /// Calls the action, which must be synchronous, with an error that is known to match (``RuleStep/isKnown(of:)``).
    ///
    /// Returns the action's result, or nil if the content doesn't have the matcher's output type, so that the rule
    /// doesn't match.
    func callAction<Content: Error>(
        on content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy? { mustBeOverridden() }

    /// Calls the matcher and, if it matches, the action, which must be synchronous.
    ///
    /// Returns the action's result, or nil if the rule doesn't match or the supervisor removed the report before the
    /// action.
    func callMatcherAndAction(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, under supervisor: (any ActionSupervisor)?
    ) throws -> HandleStrategy? { mustBeOverridden() }

    /// Calls the action, which must be asynchronous and not need a report, with an error that is certain to match
    /// (``MatcherTest/certain``).
    ///
    /// Returns the action's result, or nil if the content doesn't have the matcher's output type. A prepared action
    /// (``prepareAction(on:_:isCertain:)``) would take twice as long: each closure around it is another asynchronous
    /// call.
    func callAsyncAction(on error: UnboxedError) async throws -> HandleStrategy? { mustBeOverridden() }

    /// Calls the matcher unless the error is certain to match.
    ///
    /// Returns a closure that calls the action, which must be asynchronous; nil if the rule doesn't match.
    func prepareAction(
        on error: UnboxedError, _ reporter: inout DispatchReporter, isCertain: Bool
    ) -> PreparedAction.Closure? { mustBeOverridden() }
}

/// Crashes; this is the body of methods that every subclass in use overrides.
func mustBeOverridden(_ method: StaticString = #function) -> Never { fatalError("no subclass overrides \(method)") }
