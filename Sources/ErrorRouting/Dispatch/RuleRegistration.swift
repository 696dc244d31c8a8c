/// A rule's registration and its description, with one copy for each thread slot.
///
/// Every outcome names the rule that decided it. If all outcomes named one object, concurrent dispatches would change
/// the same reference count, and their throughput wouldn't grow with the cores. Therefore each thread uses its own
/// copy, created on first need.
struct RuleRegistration: ~Copyable, Sendable {
    let shape: MatcherShape
    let source: ErrorReport.Source
    private let original = SetOnce<RuleDescription.Storage>()
    /// Set once a second outcome names the rule.
    private let copies = SetOnce<DescriptionCopies>()

    init(shape: MatcherShape, source: ErrorReport.Source) {
        self.shape = shape
        self.source = source
    }

    /// The original, for failures and explanations, which are rare.
    var description: RuleDescription {
        RuleDescription(storage: original.value ?? original.set(.init(shape: shape, source: source)).object)
    }

    /// The calling thread's copy, for outcomes; every error has one.
    var threadsOwnDescription: RuleDescription {
        copies.borrowed?.read { $0.threadsOwn } ?? firstDescription()
    }

    /// Returns the original for the first outcome, because most handlers created for a request have no second one;
    /// allocates room for copies at the second.
    @inline(never)
    private func firstDescription() -> RuleDescription {
        if original.borrowed == nil { return description }
        return copies.set(DescriptionCopies(of: description.storage)).read { $0.threadsOwn }
    }
}
