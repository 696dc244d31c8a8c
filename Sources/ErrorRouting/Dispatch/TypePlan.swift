/// What a dispatch does with errors of one dynamic type: made when the type is first seen, and kept.
///
/// Unchecked, since the compiler cannot know that the memory of the steps does not change.
@safe final class TypePlan: @unchecked Sendable {
    /// The rules that can match by the type alone, or that have to be asked.
    private let fixed: RuleSteps
    /// The steps of these, without a way over the object that holds them: it would be retained.
    let fixedSteps: RuleStepList
    /// The rules for values of the type.
    ///
    /// These three are without a claim, or they would be retained for a look-up; the indexes are kept below.
    let values: Unmanaged<ValueIndex>?
    /// The rules for the domain of the type, if it is a Swift type.
    let domain: Unmanaged<DomainSteps>?
    /// The rules for domains, if the type is an `NSError`'s.
    let domains: Unmanaged<DomainIndex>?
    private let kept: (values: ValueIndex?, domain: DomainSteps?, domains: DomainIndex?)
    /// Whether an error has to be looked up in an index.
    let looksUp: Bool
    /// Whether an asynchronous rule could match.
    let hasAsynchronous: Bool

    init(
        fixed: RuleSteps,
        values: ValueIndex?,
        domain: DomainSteps?,
        domains: DomainIndex?
    ) {
        self.fixed = fixed
        fixedSteps = fixed.list
        kept = (values, domain, domains)
        unsafe self.values = unsafe values.map { unsafe Unmanaged.passUnretained($0) }
        unsafe self.domain = unsafe domain.map { unsafe Unmanaged.passUnretained($0) }
        unsafe self.domains = unsafe domains.map { unsafe Unmanaged.passUnretained($0) }
        looksUp = values != nil || domain != nil || domains != nil
        hasAsynchronous =
            fixed.hasAsynchronous || values?.hasAsynchronous ?? false || domain?.hasAsynchronous ?? false
            || domains?.hasAsynchronous ?? false
    }
}
