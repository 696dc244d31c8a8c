/// What a dispatch does with errors of one dynamic type: made when the type is first seen, and kept.
///
/// Unchecked, since the compiler cannot know that the memory of the steps does not change.
@safe final class TypePlan: @unchecked Sendable {
    /// The steps of the rules that can match by the type alone, or that have to be asked.
    ///
    /// This and what follows is read without a way over the objects that hold it, which would be retained; they are
    /// kept below.
    let fixed: RuleStepList
    /// The rules for values of the type.
    let values: Unmanaged<ValueIndex>?
    /// The rules for the domain of the type, if it is a Swift type.
    let domain: Unmanaged<DomainSteps>?
    /// The rules for domains, if the type is an `NSError`'s.
    let domains: Unmanaged<DomainIndex>?
    private let kept: (fixed: RuleSteps, values: ValueIndex?, domain: DomainSteps?, domains: DomainIndex?)
    /// Whether anything is looked up, but for the domain of a Swift type.
    let looksUp: Bool
    /// Whether the type is a class: an error in a box of that class may be of a class that inherits from it.
    let isOfClass: Bool
    /// Whether an asynchronous rule could come up.
    let mayBeAsynchronous: Bool

    /// - Parameters:
    ///   - fixed: What is not looked up.
    ///   - values: Where values are looked up.
    ///   - domain: Where the codes of a Swift type are.
    ///   - domains: Where the domains and codes of `NSError` objects are.
    ///   - type: The dynamic type.
    ///   - hasAsynchronousFallback: Whether what runs if no rule matches, or last, is asynchronous.
    init(
        fixed: RuleSteps, values: ValueIndex?, domain: DomainSteps?, domains: DomainIndex?, of type: Any.Type,
        hasAsynchronousFallback: Bool
    ) {
        self.fixed = fixed.list
        kept = (fixed, values, domain, domains)
        unsafe self.values = unsafe values.map { unsafe Unmanaged.passUnretained($0) }
        unsafe self.domain = unsafe domain.map { unsafe Unmanaged.passUnretained($0) }
        unsafe self.domains = unsafe domains.map { unsafe Unmanaged.passUnretained($0) }
        looksUp = values != nil || domains != nil
        isOfClass = type is AnyClass
        mayBeAsynchronous =
            hasAsynchronousFallback || fixed.hasAsynchronous || values?.hasAsynchronous ?? false
            || domain?.hasAsynchronous ?? false || domains?.hasAsynchronous ?? false
    }
}
