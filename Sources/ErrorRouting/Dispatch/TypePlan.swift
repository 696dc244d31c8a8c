/// What a dispatch does with errors of one dynamic type: made when the type is first seen, and kept.
///
/// Unchecked, since the compiler cannot know that the memory of the steps does not change.
@safe final class TypePlan: @unchecked Sendable {
    /// The rules that can match by the type alone, or that have to be asked.
    private let fixed: RuleSteps
    /// The steps of these, without a way over the object that holds them: it would be retained.
    let fixedSteps: RuleStepList
    /// The rules for values of the type.
    let values: (any ValueIndex)?
    /// The rules for the domain of the type, if it is a Swift type.
    let domain: DomainSteps?
    /// The rules for domains, if the type is an `NSError`'s.
    let domains: DomainIndex?
    let isForNSErrorObjects: Bool
    /// Whether an error has to be looked up in an index.
    let looksUp: Bool
    /// Whether an asynchronous rule could match.
    let hasAsynchronous: Bool

    init(
        fixed: RuleSteps,
        values: (any ValueIndex)?,
        domain: DomainSteps?,
        domains: DomainIndex?,
        isForNSErrorObjects: Bool
    ) {
        self.fixed = fixed
        fixedSteps = fixed.list
        self.values = values
        self.domain = domain
        self.domains = domains
        self.isForNSErrorObjects = isForNSErrorObjects
        looksUp = values != nil || domain != nil || domains != nil
        hasAsynchronous =
            fixed.hasAsynchronous || values?.hasAsynchronous ?? false || domain?.hasAsynchronous ?? false
            || domains?.hasAsynchronous ?? false
    }
}
