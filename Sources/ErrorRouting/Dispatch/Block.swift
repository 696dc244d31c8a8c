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

    /// The stages that contain rules, and the stages that contain asynchronous rules.
    let (stages, asynchronousStages): (RuleSet.Stages, RuleSet.Stages)
    private let (rules, onNoMatch, always): (RuleStepList, RuleStepList, RuleStepList)
    /// The owner of the lists' memory.
    private let memory: FixedArray<RuleStep>
    /// Whether the rules are read linearly, because there are few of them and their matchers needn't be called.
    private let isReadLinearly: Bool
    private let plans = TypeTable<TypePlan>()

    /// Creates a block of a number of rules from a function that calls a closure with each rule, last registered first.
    ///
    /// The function is called once for each stage, and once more for all of them. It must call its closure with the
    /// same rules each time.
    @inline(__always)
    init(count: Int, _ forEachRule: ((Rule, RuleStage) -> Void) -> Void) {
        var memory = FixedArray<RuleStep>(capacity: count)
        rules = memory.append(.rule, of: forEachRule)
        onNoMatch = memory.append(.onNoMatch, of: forEachRule)
        always = memory.append(.always, of: forEachRule)
        self.memory = memory
        var (stages, asynchronousStages, callsMatchers) = (RuleSet.Stages(), RuleSet.Stages(), false)
        forEachRule { rule, stage in
            stages.insert(.init(stage))
            if rule.traits.isAsynchronous { asynchronousStages.insert(.init(stage)) }
            if rule.dispatchTest == .closure { callsMatchers = true }
        }
        (self.stages, self.asynchronousStages) = (stages, asynchronousStages)
        isReadLinearly = rules.count <= Self.smallCount && !callsMatchers
    }

    deinit { for position in 0..<count { unsafe memory[position].rule.release() } }

    /// The number of rules in all stages.
    var count: Int { memory.count }

    /// All rules of a stage.
    subscript(stage: RuleStage) -> RuleStepList {
        switch stage {
        case .rule: rules
        case .onNoMatch: onNoMatch
        case .always: always
        }
    }

    /// Calls a closure with each rule, stage by stage; within a stage, last registered first.
    fileprivate func forEachRule(_ body: (Rule, RuleStage) -> Void) {
        for stage in RuleStage.allCases { for step in self[stage] { body(step.rule.object, stage) } }
    }

    // MARK: The rules for an error

    /// Returns the steps to try for an error in a stage.
    @inline(__always)
    func list<Content: Error>(
        for content: Content, _ error: UnboxedError, _ stage: RuleStage, _ reporter: inout DispatchReporter
    ) -> RuleStepList {
        if stage != .rule { return self[stage] }
        if isReadLinearly { return rules }
        guard let plan = plan(for: content, error) else { return rules }
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
        return plans.insert(TypePlan(of: rules, for: error), for: type)
    }

    /// Returns the facts about the rules that depend only on an error's type.
    @inline(__always)
    func reach<Content: Error>(of content: Content, _ error: UnboxedError) -> TypePlan.Reach {
        if !isReadLinearly, let plan = plan(for: content, error) { return plan.read { $0.reach } }
        var reach = TypePlan.Reach()
        for step in rules where step.isFor(Content.self) { reach.add(step, step.test == .certain ? .certain : .maybe) }
        return reach
    }
}

extension [Block] {
    /// Replaces the block with a given number and the next block with one block of their rules.
    mutating func merge(_ number: Int) {
        let neighbors = self[number...number + 1]
        let block = Block(count: neighbors.reduce(0) { $0 + $1.count }) { body in
            for block in neighbors { block.forEachRule(body) }
        }
        replaceSubrange(number...number + 1, with: [block])
    }
}
