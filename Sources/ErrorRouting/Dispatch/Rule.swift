import Foundation

/// One rule with its conditions and its description; subclasses define its effect.
///
/// It is a class with methods and not a struct of closures. Dispatches call the methods through unmanaged references
/// and retain nothing, so concurrent dispatches write to no shared memory.
///
/// Unchecked because the compiler can't check a class with subclasses; all stored properties are constants.
@usableFromInline
class Rule: @unchecked Sendable {
    /// The traits of a rule's action.
    struct Traits {
        /// Whether the action may suspend.
        var isAsynchronous = false
        /// Whether the action receives the report.
        var needsReport = false
        /// Whether the rule is an `ignore`, which only stops every error that it matches.
        var ignores = false
        /// Whether the rule is an `expecting`, which also only stops, but its errors count as handled.
        var expects = false
    }

    final let registration: RuleRegistration
    final let traits: Traits
    /// The type that an error must have; nil if several types are possible.
    final let requiredType: ObjectIdentifier?
    /// The degree of certainty that an error of the required type matches.
    final let certainty: RuleStep.Certainty
    /// The way to find the matcher's output.
    final let test: MatcherTest
    /// The predicate of the test, stored here so that it costs no more than a call; without one, true for every error.
    final let predicate: ErrorPredicate

    /// Creates a rule for the errors that a matcher matches.
    ///
    /// It is inlined, so that no matcher is created for a rule that needs only its parts.
    @inline(__always)
    init<Output>(_ matcher: ErrorMatcher<Output>, at source: ErrorReport.Source, _ traits: Traits = Traits()) {
        let (shape, requirement) = (matcher.shape, matcher.requirement)
        self.traits = traits
        requiredType = requirement.type
        switch matcher.test {
        case .type: (certainty, predicate) = (.certain, { _ in true })
        case .predicate(let holds): (certainty, predicate) = (traits.isAsynchronous ? .asked : .predicate, holds)
        case .domain(let holds): (certainty, predicate) = (traits.isAsynchronous ? .asked : .domain, holds)
        case .closure: (certainty, predicate) = (requirement.isOnlyType ? .certain : .asked, { _ in true })
        }
        test = matcher.test
        registration = RuleRegistration(shape: shape, source: source)
    }

    /// Whether an error of a type might match; runs no user code.
    final func mayMatch(_ type: Any.Type) -> Bool { requiredType.map { $0 == ObjectIdentifier(type) } ?? true }

    /// Calls the matcher and returns whether it matches, for an explanation, which enters user code once for all rules.
    func callMatcher(_ subject: inout ErrorSubject) -> Bool { mustBeOverridden() }

    /// Calls the action, which is synchronous, with an error that is known to match (``RuleStep/isKnown(of:)``).
    ///
    /// - Parameters:
    ///   - content: The content of the error's box.
    ///   - error: The error.
    ///   - reporter: The maker of the error's report.
    /// - Returns: The action's result; nil if the content isn't of the matcher's output type, so the rule doesn't match.
    func callAction<Content: Error>(
        on content: Content, _ error: UnboxedError, _ reporter: inout DispatchReporter
    ) throws -> HandleStrategy? { mustBeOverridden() }

    /// Calls the matcher and, if it matches, the action, which is synchronous.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - reporter: The maker of the error's report.
    ///   - supervisor: An object that can take the report back.
    /// - Returns: The action's result; nil if the rule doesn't match, or if the report was taken back before the
    ///   action.
    func callMatcherAndAction(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, under supervisor: (any ActionSupervisor)?
    ) throws -> HandleStrategy? { mustBeOverridden() }

    /// Calls the action, which is asynchronous and needs no report, with an error that is known to match; returns nil
    /// if the content isn't of the matcher's output type.
    func callAsyncAction(on error: UnboxedError) async throws -> HandleStrategy? { mustBeOverridden() }

    /// Calls the matcher unless the error is certain to match and, if it matches, the action, which is asynchronous, in
    /// the caller's task.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - reporter: The maker of the error's report.
    ///   - isCertain: Whether the error is certain to match (``RuleStep/Certainty/certain``).
    /// - Returns: The action's result; nil if the rule doesn't match.
    func callMatcherAndAsyncAction(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, isCertain: Bool
    ) async throws -> HandleStrategy? { mustBeOverridden() }

    /// Calls the matcher unless the error is certain to match and, if it matches, returns the action with its inputs.
    func callMatcherAndPrepare(
        _ error: UnboxedError, _ reporter: inout DispatchReporter, isCertain: Bool
    ) -> PreparedAction? { mustBeOverridden() }
}

/// Traps, as the body of a method that every subclass in use overrides.
func mustBeOverridden(_ method: StaticString = #function) -> Never { fatalError("no subclass overrides \(method)") }
