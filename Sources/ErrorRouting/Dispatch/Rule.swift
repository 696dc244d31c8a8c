/// One rule: what it matches, and its description; subclasses define what it does.
///
/// A class with methods and no struct of closures: dispatches call the methods through unmanaged references and retain
/// nothing, so that concurrent dispatches write to no memory that they share.
///
/// Unchecked, since the compiler cannot check a class that has subclasses; all stored properties are constants.
@usableFromInline
class Rule: RuleNode, @unchecked Sendable {
    /// What a rule does with an error that it matches.
    struct Traits {
        /// Whether the action may suspend.
        var isAsynchronous = false
        /// Whether the action gets the report.
        var needsReport = false
        /// Whether the rule is an `ignore`: it stops every error that it matches, and does no more.
        var ignores = false
    }

    final let registration: RuleRegistration
    final let traits: Traits
    /// The type that an error must have; nil if it may be of several.
    final let requiredType: ObjectIdentifier?
    /// What is known of whether an error of the required type matches.
    final let match: RuleStep.Match
    /// What to call instead of the matcher, kept here so that it costs no more than a call; true for every error
    /// if there is nothing.
    final let predicate: ErrorPredicate

    /// - Parameters:
    ///   - shape: What the matcher is made of.
    ///   - requirement: The matcher's ``ErrorMatcher/requirement``.
    ///   - predicate: What to call instead of the matcher (``ErrorMatcher/predicate``).
    ///   - hasPredicate: Whether there is such a predicate.
    ///   - source: Where the rule is registered.
    ///   - traits: What the rule does with an error that it matches.
    init(
        _ shape: MatcherShape, _ requirement: MatcherShape.Requirement, _ predicate: @escaping ErrorPredicate,
        _ hasPredicate: Bool, at source: ErrorReport.Source, _ traits: Traits = Traits()
    ) {
        registration = RuleRegistration(shape: shape, source: source)
        self.predicate = predicate
        self.traits = traits
        requiredType = requirement.type
        if requirement.isOnlyType {
            match = .certain
        } else if hasPredicate, !traits.isAsynchronous {
            match = requiredType != nil ? .byValue : shape.isDomain ? .byDomain : .byPredicate
        } else if shape.key?.isAll == true, !traits.isAsynchronous || requiredType != nil {
            match = .comparing
        } else {
            match = .asked
        }
    }

    /// Whether an error of a type may match; runs no code of the user's.
    final func mayMatch(_ type: Any.Type) -> Bool { requiredType.map { $0 == ObjectIdentifier(type) } ?? true }

    /// Returns whether the rule matches; runs no action.
    func matches(_ subject: inout ErrorSubject) -> Bool { mustBeOverridden() }

    /// Applies the rule, which is synchronous, to an error that is certain to match (``RuleStep/Match``).
    ///
    /// - Parameters:
    ///   - content: The content of the error's box.
    ///   - error: The error.
    ///   - notes: What the dispatch knows of the error.
    func act<Content: Error>(
        on content: Content, _ error: any Error, _ notes: inout DispatchNotes
    ) throws -> HandleStrategy {
        mustBeOverridden()
    }

    /// Asks the matcher and, if it matches, applies the rule, which is synchronous.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - notes: What the dispatch knows of the error.
    ///   - supervisor: May supersede the dispatch.
    /// - Returns: What the action has returned; nil if the rule does not match, or if the dispatch was superseded
    ///   before the action.
    func actIfMatching(
        _ error: any Error, _ notes: inout DispatchNotes, under supervisor: (any ActionSupervisor)?
    ) throws -> HandleStrategy? {
        mustBeOverridden()
    }

    /// Applies the rule, which is asynchronous and needs no report, to an error that is certain to match.
    func actSuspending(on error: any Error) async throws -> HandleStrategy { mustBeOverridden() }

    /// Asks the matcher unless the error is certain to match and, if it matches, applies the rule, which is
    /// asynchronous.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - notes: What the dispatch knows of the error.
    ///   - isCertain: Whether the error is certain to match (``RuleStep/Match/certain``).
    ///   - mayBegin: Asked between the match and the action, since a predicate's time does not count as the action's.
    /// - Returns: What the action has returned; nil if the rule does not match, or if the action may not begin.
    func actSuspending(
        _ error: any Error, _ notes: inout DispatchNotes, isCertain: Bool, mayBegin: () -> Bool
    ) async throws -> HandleStrategy? {
        mustBeOverridden()
    }

    /// Traps; the body of methods that every subclass in use overrides.
    final func mustBeOverridden(_ name: StaticString = #function) -> Never {
        fatalError("\(type(of: self)) does not override \(name)")
    }
}
