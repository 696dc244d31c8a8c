/// An immutable list of rules that handlers and scopes share, with a plan for each error type that it has received.
///
/// A small block is read linearly and creates no plan if each of its rules only compares the error's type, value, or
/// domain. The reason is that most handlers created for one error add one or two rules to a preset. If a rule must call
/// its matcher, the block creates a plan, which costs only as much as one call of a matcher.
///
/// `@unchecked` because of the lists, whose memory doesn't change.
@safe final class Block: @unchecked Sendable {
    /// The maximum number of rules that are read linearly.
    static let smallCount = 4

    /// The rules, last registered first.
    let rules: [RuleSet.Entry]
    /// The stages of the rules.
    let stages: RuleSet.Stages
    /// The steps of the rules, in the order of evaluation.
    private let (steps, onNoMatchSteps, alwaysSteps): (RuleStepList, RuleStepList, RuleStepList)
    /// The owner of the lists' memory.
    private let memory: FixedArray<RuleStep>
    /// Whether the rules are read linearly, because there are few of them and their matchers needn't be called.
    private let isReadLinearly: Bool
    private let plans = TypeTable<TypePlan>()

    /// Creates a block of rules, given last registered first.
    init(_ rules: [RuleSet.Entry]) {
        self.rules = rules
        var memory = FixedArray<RuleStep>(capacity: rules.count)
        var stages = RuleSet.Stages()
        steps = memory.append(rules, of: .rule, &stages)
        onNoMatchSteps = memory.append(rules, of: .onNoMatch, &stages)
        alwaysSteps = memory.append(rules, of: .always, &stages)
        self.memory = memory
        self.stages = stages
        isReadLinearly = steps.count <= Self.smallCount && !steps.contains { $0.test == .closure }
    }

    // MARK: The rules for an error

    /// Returns the steps to try for an error in a stage.
    @inline(__always)
    func list<Content: Error>(
        for content: Content, _ error: UnboxedError, _ stage: RuleStage, _ reporter: inout DispatchReporter
    ) -> RuleStepList {
        switch stage {
        case .rule: break
        case .onNoMatch: return onNoMatchSteps
        case .always: return alwaysSteps
        }
        guard !isReadLinearly, let plan = plan(for: content, error) else { return steps }
        return plan.read { $0.steps(for: content, error, &reporter) }
    }

    /// Whether there is a plan for errors of a dynamic type; for tests.
    func hasPlan(for type: any Error.Type) -> Bool { plans[type] != nil }

    /// Returns the plan for an error's dynamic type; nil if it doesn't exist yet and can't be created now.
    @inline(__always)
    private func plan<Content: Error>(for content: Content, _ error: UnboxedError) -> Borrowed<TypePlan>? {
        guard let plan = plans[Content.self] else { return planByDynamicType(of: error) }
        if !plan.read({ $0.isOfClass }) { return plan }
        // Compare the dynamic class: an object might be an instance of a subclass of the content's static type.
        return UnboxedError.dynamicClass(of: content) == Content.self ? plan : planByDynamicType(of: error)
    }

    /// Returns the plan for an error whose type has no plan yet, or that is an instance of a subclass of its static
    /// type.
    @inline(never)
    private func planByDynamicType(of error: UnboxedError) -> Borrowed<TypePlan>? {
        let type = type(of: error.error)
        if let plan = plans[type] { return plan }
        // Don't create a plan at the limit: it would lack an index and the type's domain, and the table would keep it.
        if PerThread.isAtLimit { return nil }
        // Create the plan outside the table's lock, because creating a plan runs user code. If two threads create a
        // plan at the same time, the table keeps the first.
        return plans.insert(TypePlan(of: steps, for: error), for: type)
    }

    /// Returns the facts about the rules that depend only on an error's type.
    @inline(__always)
    func reach<Content: Error>(of content: Content, _ error: UnboxedError) -> TypePlan.Reach {
        if !isReadLinearly, let plan = plan(for: content, error) { return plan.read { $0.reach } }
        var reach = TypePlan.Reach()
        for step in steps where step.isFor(Content.self) { reach.add(step, step.test == .certain ? .certain : .maybe) }
        return reach
    }
}

extension [Block] {
    /// Replaces the block with a given number and the next block with one block of their rules.
    mutating func merge(_ number: Int) {
        replaceSubrange(number...number + 1, with: [Block(self[number].rules + self[number + 1].rules)])
    }
}
